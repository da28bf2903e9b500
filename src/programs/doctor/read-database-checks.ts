import {
  missingExtensions,
  pendingMigrations,
  unusableIndexes,
} from '../../adapters/postgres/migrations/pending-migrations.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { failure, type HealthCheck, ok } from './health-check.js';

const MIGRATE = 'run `npm run migrate`';

/** Whether the read tables exist as this version needs them. */
export function readTablesChecks(probe: DatabaseProbe): readonly HealthCheck[] {
  return [
    {
      name: 'migrations',
      ifItFails: `${MIGRATE}, and db/grants/in-read-database.sql for roles that are not its owner`,
      run: async () => {
        const pending = await probe.query((database) => pendingMigrations(database, READ_MIGRATIONS));
        return pending.length === 0 ? ok('up to date') : failure(`missing: ${pending.join(', ')}`, MIGRATE);
      },
    },
    {
      name: 'extensions',
      ifItFails: MIGRATE,
      run: async () => {
        const missing = await probe.query(missingExtensions);
        if (missing.length === 0) return ok('present');
        const create = missing.map((extension) => `create extension ${extension}`).join('; ');
        return failure(`missing: ${missing.join(', ')}`, `as the owner of the read database: ${create}`);
      },
    },
    {
      name: 'indexes',
      ifItFails: MIGRATE,
      run: async () => {
        const { missing, invalid } = await probe.query((database) =>
          unusableIndexes(database, READ_MIGRATIONS),
        );
        if (missing.length > 0) {
          return failure(`missing: ${missing.join(', ')}`, 'create them again, as in db/read');
        }
        if (invalid.length > 0) {
          const again = invalid.map((index) => `reindex index concurrently content_read.${index}`).join('; ');
          return failure(`not valid: ${invalid.join(', ')}`, again);
        }
        return ok('all present and valid');
      },
    },
  ];
}
