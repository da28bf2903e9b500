export const settableClock = { now: () => 0 };
