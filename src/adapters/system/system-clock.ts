import type { Clock } from '../../domain/ports/system/clock.js';

export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }
}

/** Setting the system clock does not change it. */
export class MonotonicClock implements Clock {
  now(): number {
    return Math.floor(performance.timeOrigin + performance.now());
  }
}
