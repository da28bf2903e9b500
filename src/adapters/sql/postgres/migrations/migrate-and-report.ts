import { adviceOnConnection } from '../../advice-on-connection.js';
import { MigratedByNewer, type Migrations, migrateDatabase } from './migrate-database.js';

/** Another session has locked a table that a migration has to change. */
const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';
/** A wrong user or password, an unknown database, or what the operating system or TLS says. */
const NO_CONNECTION = /^(28|3D|08|57P|E[A-Z]|[A-Z]+_)/;

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
  const { code = '', message } = first as Error & { code?: string };
  if (code === LOCK_NOT_AVAILABLE) {
    return new Error(
      `${what}: a long transaction uses a table that has to be changed (see pg_stat_activity and ` +
        'pg_prepared_xacts). Nothing was changed, so that other sessions do not wait: run this command again when the transaction has ended.',
      { cause: error },
    );
  }
  if (code === INSUFFICIENT_PRIVILEGE) {
    return new Error(
      `${variable}: ${message}. Run this command with the address of a role that owns the database.`,
      { cause: error },
    );
  }
  if (!NO_CONNECTION.test(code)) return error;
  return new Error(`${variable}: ${message}: ${adviceOnConnection(variable)(first)}`, { cause: error });
}
