/** What this rule needs of a pool of connections. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingCreates(): number;
  readonly pendingAcquires: readonly { reject(reason: unknown): void }[];
  on(event: 'createFail', listener: (attempt: number, reason: unknown) => void): unknown;
}

/** A query waits only while a connection is open or being opened. */
export function failOnlyWithoutConnections(pool: Pool): void {
  const hasNone = () => pool.numUsed() + pool.numFree() === 0;
  Object.defineProperty(pool, 'propagateCreateError', { get: hasNone });
  pool.on('createFail', (_attempt, reason) => {
    if (!hasNone() || pool.numPendingCreates() > 0) return;
    for (const query of pool.pendingAcquires) query.reject(reason);
  });
}
