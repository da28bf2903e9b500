import type { Clock } from '../../domain/ports/system/clock.js';

export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }
}
