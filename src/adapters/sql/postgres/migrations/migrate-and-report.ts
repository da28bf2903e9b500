import { adviceOnConnection } from '../../advice-on-connection.js';
import { means } from '../fault-of.js';
import { MigratedByNewer, type Migrations, migrateDatabase } from './migrate-database.js';

/** `variable` names the database of `url`. Returns whether there was anything to say. */
export async function migrateAndReport(
  { what, variable, url }: { what: string; variable: string; url: string },
  migrations: Migrations,
  print: (text: string) => void,
): Promise<boolean> {
  try {
    const taken = await migrateDatabase(url, migrations);
    if (taken.length === 0) return false;
    print(`${what}: applied ${taken.join(', ')}.`);
  } catch (error) {
    if (!(error instanceof MigratedByNewer)) throw explained(error, what, variable);
    print(`${what}: ${error.message}.`);
  }
  return true;
}

function explained(error: unknown, what: string, variable: string): unknown {
  // Several addresses failed. The AggregateError itself has no message.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { message } = first as Error;
  if (means(first, 'locked')) {
    return new Error(
      `${what}: a long transaction uses a table that has to be changed (see pg_stat_activity and ` +
        'pg_prepared_xacts). Nothing was changed, so that other sessions do not wait: run this command again when the transaction has ended.',
      { cause: error },
    );
  }
  if (means(first, 'denied')) {
    return new Error(
      `${variable}: ${message}. Run this command with the address of a role that owns the database.`,
      { cause: error },
    );
  }
  if (!means(first, 'connection')) return error;
  return new Error(`${variable}: ${message}: ${adviceOnConnection(variable)(first)}`, { cause: error });
}
