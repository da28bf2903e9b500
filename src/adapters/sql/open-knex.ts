import knex, { type Knex } from 'knex';

/** Knex would write to the terminal; all its messages also arrive as errors. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };

const MAX_STATEMENT_LENGTH = 300;

export interface KnexOptions<Connection> {
  readonly client: 'pg' | 'mysql2';
  /** The server's version, which Knex would otherwise ask for before the session is configured. */
  readonly version: string;
  readonly connection: object;
  /** The smallest and the largest number of connections. */
  readonly connections: readonly [min: number, max: number];
  /** How long a query waits for a free connection. */
  readonly acquireTimeoutMs: number;
  /** If it rejects, the connection is not used. */
  readonly configure: (connection: Connection) => Promise<void>;
}

/** A pool of connections to a database of either engine, with the same rules. */
export function openKnex<Connection>(options: KnexOptions<Connection>): Knex {
  const { client, version, connection, connections, acquireTimeoutMs, configure } = options;
  const [min, max] = connections;
  const afterCreate = (opened: Connection, done: (error: Error | null) => void) => {
    configure(opened).then(() => done(null), done);
  };
  const database = knex({
    client,
    version,
    // Values may be secret, and may be long.
    compileSqlOnError: false,
    log: NO_LOG,
    connection,
    pool: { min, max, afterCreate },
    acquireConnectionTimeout: acquireTimeoutMs,
  });
  database.on('query-error', (error: Error, { sql }: { readonly sql: string }) =>
    separateStatement(error, sql),
  );
  failOnlyWithoutConnections(database.client.pool);
  return database;
}

/** Knex puts the statement before the cause. It becomes a property of its own, and is cut. */
export function separateStatement(error: Error, statement: string): void {
  const beforeCause = `${statement} - `;
  if (!error.message.startsWith(beforeCause)) return;
  error.message = error.message.slice(beforeCause.length);
  Object.assign(error, { statement: statement.slice(0, MAX_STATEMENT_LENGTH) });
}

/** What our rule needs of Knex's pool. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingCreates(): number;
  readonly pendingAcquires: readonly { reject(reason: unknown): void }[];
  on(event: 'createFail', listener: (attempt: number, reason: unknown) => void): unknown;
}

/** A query waits only while a connection is open or being opened. */
function failOnlyWithoutConnections(pool: Pool): void {
  const hasNone = () => pool.numUsed() + pool.numFree() === 0;
  Object.defineProperty(pool, 'propagateCreateError', { get: hasNone });
  pool.on('createFail', (_attempt, reason) => {
    if (!hasNone() || pool.numPendingCreates() > 0) return;
    for (const query of pool.pendingAcquires) query.reject(reason);
  });
}
