import type { KeysCommand } from '../../adapters/cli/command-line.js';
import { runKeysCommand } from '../../adapters/cli/keys-command.js';
import { DashboardApiKeys } from '../../adapters/dashboard/dashboard-api-keys.js';
import { openDashboardDatabase } from '../../adapters/postgres/dashboard-database.js';
import { Sha256KeyHasher } from '../../adapters/system/sha256-key-hasher.js';
import { requireDashboardTables } from './require-tables.js';

export async function manageKeys(
  command: KeysCommand,
  writeDatabaseUrl: string,
  print: (text: string) => void,
): Promise<void> {
  const database = openDashboardDatabase(writeDatabaseUrl);
  try {
    await requireDashboardTables(database);
    await runKeysCommand(command, new DashboardApiKeys(database, new Sha256KeyHasher()), print);
  } finally {
    await database.destroy();
  }
}
