import type { Clock } from '../../../src/domain/ports/system/clock.js';

/** A clock that advances only when a test sets it. */
export class SettableClock implements Clock {
  constructor(private millis = Date.UTC(2026, 0, 15, 12)) {}

  now(): number {
    return this.millis;
  }

  advance(millis: number): void {
    this.millis += millis;
  }
}
