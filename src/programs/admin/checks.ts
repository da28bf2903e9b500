import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { codeOf, naming } from '../../adapters/postgres/connection/is-outage.js';
import type { ReadDatabase } from '../../adapters/postgres/connection/read-database.js';
import { missingRights, type Program } from '../../adapters/postgres/inspect/missing-rights.js';
import { type MigrationState, migrationState } from '../../adapters/postgres/migrations/migrate-database.js';
import type { Replica } from '../../adapters/postgres/replicas/replica.js';
import type { RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';

/** Below the time limit of a check. */
const CHECK_OF_PRIMARY_MS = 400;
const UNDEFINED_TABLE = '42P01';
export const GRANT = "run `npm run migrate`, and db/grants/in-read-database.sql for the program's role";
const WITHOUT_REDIS = {
  redis: 'Redis is unavailable: this process continues without it',
  redisCache: 'the shared cache is unavailable: this process computes and caches its own answers',
};
const NOT_NAMED =
  'Redis is not used before the read tables answer: their identity is part of each name in Redis';

/** To generations, of which only whether they can be read matters. */
export const NO_QUESTION = { above: 0, limit: 1, organizationIds: [] };

export const MIGRATED_BY_NEWER =
  'migrated by a newer version than this program, which continues: replace it by one of that version';

/** `storedBy`: the extension that stores the generations. Null: they are in the read tables. */
export async function requireReadTables(
  read: () => Promise<unknown>,
  storedBy: string | null = null,
): Promise<void> {
  const where = storedBy === null ? 'READ_DATABASE_URL' : `extension ${storedBy}`;
  try {
    await naming(where, read);
  } catch (error) {
    if (storedBy !== null) throw error;
    // By the code, because the message is in the language of the server.
    if (!(error instanceof Error && codeOf(error.cause) === UNDEFINED_TABLE)) throw error;
    throw new Error('The database of READ_DATABASE_URL has no read tables: run `npm run migrate` first.');
  }
}

/** `runQuery` runs a query on the read database. */
export function migrationsCheck(
  name: string,
  runQuery: (query: (database: ReadDatabase) => Promise<MigrationState>) => Promise<MigrationState>,
): Check {
  return {
    name,
    run: async () => {
      const { missing, newer } = await runQuery((database) => migrationState(database, READ_MIGRATIONS));
      if (missing.length > 0) throw new Error(`missing (run \`npm run migrate\`): ${missing.join(', ')}`);
      if (newer.length > 0) throw new Degraded(`${MIGRATED_BY_NEWER} (${newer.join(', ')})`);
    },
  };
}

export function workerWith(webhooks: readonly WebhookEndpoint[]): Program {
  return webhooks.length > 0 ? 'worker with webhooks' : 'worker';
}

/** Whether the program may do with the read tables what it does. */
export function rightsCheck(
  program: Program,
  runQuery: (query: (database: ReadDatabase) => Promise<readonly string[]>) => Promise<readonly string[]>,
): Check {
  return {
    name: 'rights',
    run: async () => {
      const missing = await runQuery((database) => missingRights(database, program));
      if (missing.length === 0) return;
      throw new Degraded(`${missing.join('; ')}: ${GRANT}`);
    },
  };
}

export function replicasCheck(replicas: readonly Replica[]): Check {
  return {
    name: 'readReplicas',
    run: async () => {
      const excluded = replicas.flatMap(({ reading: { name, exclusion } }) =>
        exclusion === null ? [] : [`${name} (${exclusion})`],
      );
      if (excluded.length === 0) return;
      throw new Degraded(`${excluded.length} of ${replicas.length} excluded: ${excluded.join('; ')}`);
    },
  };
}

/** Out of service, an outage of the primary would be one of the API, which still has answers. */
export function unlessAnswersAreLeft(check: Check, source: () => string | null): Check {
  return {
    name: check.name,
    run: async () => {
      try {
        await withTimeLimit(CHECK_OF_PRIMARY_MS, check.run());
      } catch (error) {
        const remaining = source();
        if (remaining === null) throw error;
        throw new Degraded(
          `answers come from ${remaining}, because the primary does not answer: ${reasonOf(error)}`,
        );
      }
    },
  };
}

export function redisCheck(breaker: RedisBreaker, name: keyof typeof WITHOUT_REDIS = 'redis'): Check {
  return {
    name,
    run: async () => {
      if (await breaker.answers()) return;
      const { isNamed, reason } = breaker;
      if (!isNamed) throw new Degraded(NOT_NAMED);
      throw new Degraded(`${WITHOUT_REDIS[name]}${reason === null ? '' : ` (${reason})`}`);
    },
  };
}
