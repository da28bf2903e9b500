import type { Clock } from '../../domain/ports/clock.js';

/** The time at which the process started plus the time elapsed since. Setting the system clock does not change it. */
export class MonotonicClock implements Clock {
  now(): number {
    return Math.floor(performance.timeOrigin + performance.now());
  }
}
