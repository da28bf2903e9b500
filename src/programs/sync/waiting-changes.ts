import type { SyncSession } from './sync-session.js';

/** Answers whether all changes have been taken that waited when this was asked first. */
export function waitingChanges(): (session: SyncSession) => Promise<boolean> {
  let first = 0n;
  let last: bigint | null | undefined;
  return async (session) => {
    // Where nothing tells one from another: until none waits at all.
    if (!session.needs.dashboard.includes('ChangeFeed')) return !(await session.ports.feed.hasNew());
    const { dashboard } = session;
    if (last === undefined) last = await dashboard.newestChange();
    if (last === null) return true;
    const oldest = await dashboard.oldestChange(first);
    if (oldest === null || oldest > last) return true;
    first = oldest;
    return false;
  };
}
