import { settableClock } from '../../tests/support/settable-clock.js'; // breach

export const clock = settableClock;
