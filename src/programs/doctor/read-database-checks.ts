import { pendingMigrations, unusableIndexes } from '../../adapters/postgres/migrations/pending-migrations.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { check, failure, type HealthCheck, ok, type Verdict } from './health-check.js';

const MIGRATE = 'run `npm run migrate`';

/** Whether the read tables exist as this version needs them. */
export function readTablesChecks(probe: DatabaseProbe): readonly HealthCheck[] {
  return [
    check(
      'migrations',
      `${MIGRATE}, and db/grants/in-read-database.sql for roles that are not its owner`,
      () => probe.query((database) => pendingMigrations(database, READ_MIGRATIONS)),
      (pending) =>
        pending.length === 0 ? ok('up to date') : failure(`missing: ${pending.join(', ')}`, MIGRATE),
    ),
    check(
      'indexes',
      MIGRATE,
      () => probe.query((database) => unusableIndexes(database, READ_MIGRATIONS)),
      indexesVerdict,
    ),
  ];
}

function indexesVerdict({ missing, invalid }: Awaited<ReturnType<typeof unusableIndexes>>): Verdict {
  if (missing.length > 0) {
    return failure(
      `missing: ${missing.join(', ')}`,
      'create them again, as in db/read, with the extensions that they need',
    );
  }
  if (invalid.length === 0) return ok('all present and valid');
  const again = invalid.map((index) => `reindex index concurrently content_read.${index}`).join('; ');
  return failure(`not valid: ${invalid.join(', ')}`, again);
}
