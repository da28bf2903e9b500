/** A session that blocks the sync worker. */
export interface BlockingSession {
  /** 0: a prepared transaction, which has no session. */
  readonly pid: number;
  readonly user: string | null;
  readonly application: string | null;
  readonly since: string | null;
  readonly tables: readonly string[];
}

export function describeBlocking({ pid, user, application, since, tables }: BlockingSession): string {
  const who = pid === 0 ? 'a prepared transaction' : `session ${pid}`;
  const details = [
    ...(user === null ? [] : [`user ${user}`]),
    ...(application ? [`application ${application}`] : []),
    ...(since === null ? [] : [`in a transaction since ${since}`]),
  ];
  const locked = tables.length === 0 ? '' : `, locks ${tables.join(', ')}`;
  return `${who}${details.length === 0 ? '' : ` (${details.join(', ')})`}${locked}`;
}

export function adviceOnBlocking({ pid }: BlockingSession): string {
  return pid === 0
    ? 'commit or roll back the transaction that pg_prepared_xacts shows'
    : `wait until it ends, or end it: select pg_terminate_backend(${pid})`;
}
