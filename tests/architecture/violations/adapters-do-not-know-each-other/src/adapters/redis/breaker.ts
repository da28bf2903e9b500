export const breaker = (patience: number) => patience;
