import { keyTable } from '../../adapters/cli/keys-command.js';
import { loadDemoContent } from '../../adapters/dashboard/demo/load-demo-content.js';
import { SOURCES } from '../../adapters/dashboard/mapping/dashboard-mapping.js';
import { isMysqlUrl } from '../../adapters/dashboard/mysql/mysql-url.js';
import { missingTables } from '../../adapters/dashboard/postgres/engine.js';
import { REFERENCE_KEYS } from '../../adapters/dashboard/postgres/key-table.js';
import { DashboardKeys } from '../../adapters/dashboard/source/dashboard-keys.js';
import { requireTables } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { naming } from '../../adapters/postgres/connection/is-outage.js';
import { openDashboardDatabase } from '../../adapters/postgres/connection/open-database.js';
import { Sha256KeyHasher } from '../../adapters/system/sha256-key-hasher.js';
import { DEMO_CONTENT } from '../../composition/project-folders.js';

/** The reference dashboard has a table of the same name for each source of a mapping. */
const REFERENCE_TABLES = SOURCES.map((name) => ({ schema: 'public', name }));

/** Loads the demo. Each run creates new keys, because earlier ones cannot be shown again. */
export async function loadDemo(writeDatabaseUrl: string, print: (text: string) => void): Promise<void> {
  if (isMysqlUrl(writeDatabaseUrl)) {
    throw new Error(
      'The demo content needs a dashboard on PostgreSQL, but WRITE_DATABASE_URL is another database: use `npm start` instead.',
    );
  }
  const database = openDashboardDatabase(writeDatabaseUrl);
  try {
    requireTables(await naming('WRITE_DATABASE_URL', () => missingTables(database, REFERENCE_TABLES)));
    const organizations = await loadDemoContent(database, DEMO_CONTENT);
    if (organizations.length === 0) {
      throw new Error(
        "The dashboard's database (WRITE_DATABASE_URL) already has organizations: demo content is loaded only into an empty dashboard.",
      );
    }
    const keyManager = new DashboardKeys(database, new Sha256KeyHasher(), REFERENCE_KEYS);
    const keys: { organization: string; key: string }[] = [];
    for (const { id, name } of organizations) {
      keys.push({ organization: name, key: (await keyManager.create(id, 'Demo', null)).key });
    }
    print(
      `The demo content is loaded. New keys, which work a moment later if the sync worker runs:\n\n${keyTable(keys)}`,
    );
  } finally {
    await database.destroy();
  }
}
