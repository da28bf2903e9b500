import type { ReplicatedPostgres } from '../../support/servers/postgres-standby.js';
import type { Faults } from '../fault-plan.js';
import type { RetryingDatabase } from '../retrying-database.js';
import { COMMITS_LOST } from '../troubles.js';

/** A server-wide setting that changes the format of times in every new session. */
const HOSTILE = {
  datestyle: 'German, DMY',
  timezone: 'Asia/Kathmandu',
  intervalstyle: 'sql_standard',
  client_encoding: 'LATIN1',
  bytea_output: 'escape',
  search_path: 'nowhere',
  synchronous_commit: 'off',
  jit_above_cost: '0',
  idle_in_transaction_session_timeout: '200ms',
  default_transaction_isolation: 'serializable',
};

/**
 * A server with an asynchronous standby, which takes over without the last commits. Then the server gets a new
 * standby.
 */
export class FailingOver {
  /** Only the next failover waits for it. */
  #hasStandby: Promise<void>;

  constructor(private readonly server: ReplicatedPostgres) {
    this.#hasStandby = server.addStandby();
  }

  get faults(): Faults {
    return {
      [`failed over to a standby that was cut off, ${COMMITS_LOST}`]: {
        begin: async () => {
          await this.#hasStandby;
          await this.server.stopReplicating();
        },
        end: () => this.#failOver(),
      },
      [`failed over, ${COMMITS_LOST} in the last moment`]: {
        begin: async () => {
          await this.#hasStandby;
          await this.server.caughtUp();
        },
        end: () => this.#failOver(),
      },
    };
  }

  async stop(): Promise<void> {
    await this.#hasStandby.catch(() => {});
    await this.server.stop();
  }

  async #failOver(): Promise<void> {
    await this.server.failOver();
    this.#hasStandby = this.server.addStandby();
    // The next caller of `#hasStandby` receives the error.
    this.#hasStandby.catch(() => {});
  }
}

export function settingsChanged(database: RetryingDatabase): Faults {
  return {
    'hostile to new sessions': {
      begin: async () => {
        for (const [name, value] of Object.entries(HOSTILE))
          await alter(database, `set ${name} = '${value}'`);
        await endSessions(database);
      },
      end: () => resetSettings(database),
    },
    'of the role, hostile to new sessions': {
      begin: async () => {
        await alter(database, "set datestyle = 'SQL, DMY'", 'role');
        await alter(database, "set timezone = 'America/St_Johns'", 'role');
        await endSessions(database);
      },
      end: () => resetSettings(database),
    },
  };
}

export async function resetSettings(database: RetryingDatabase): Promise<void> {
  await alter(database, 'reset all');
  await alter(database, 'reset all', 'role');
  await endSessions(database);
}

async function alter(database: RetryingDatabase, how: string, whose: 'database' | 'role' = 'database') {
  const whom = whose === 'database' ? 'database %I' : 'role %I';
  const name = whose === 'database' ? 'current_database()' : 'current_user';
  const [row] = await database.query<{ statement: string }>(
    `select format('alter ${whom} ', ${name}) as statement`,
  );
  await database.query(`${row?.statement ?? ''}${how}`);
}

/** Ends the sessions of the programs, which open new ones. */
async function endSessions(database: RetryingDatabase): Promise<void> {
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'blog-read-api%'`,
  );
}
