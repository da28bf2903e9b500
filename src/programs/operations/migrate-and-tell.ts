import { type Migrations, migrateDatabase, TablesInUse } from '../../adapters/postgres/migrate-database.js';

export async function migrateAndTell(
  what: string,
  url: string,
  migrations: Migrations,
  print: (text: string) => void,
): Promise<void> {
  const taken = await migrateDatabase(url, migrations).catch((error: unknown) => {
    if (!(error instanceof TablesInUse)) throw error;
    throw new Error(
      `${what}: a long transaction uses a table that has to be changed (see pg_stat_activity and ` +
        'pg_prepared_xacts). Nothing was changed, so that other sessions do not wait: run this command again when the transaction has ended.',
    );
  });
  print(taken.length === 0 ? `${what}: up to date.` : `${what}: took ${taken.join(', ')}.`);
}
