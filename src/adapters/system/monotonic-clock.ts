import type { Clock } from '../../domain/ports/clock.js';

/** The time when the process started, and from then on what has passed: nobody who sets the clock of the machine moves it. */
export class MonotonicClock implements Clock {
  now(): number {
    return Math.floor(performance.timeOrigin + performance.now());
  }
}
