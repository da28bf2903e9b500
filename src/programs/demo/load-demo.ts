import { keyTable } from '../../adapters/cli/keys-command.js';
import { loadDemoContent } from '../../adapters/dashboard/demo/load-demo-content.js';
import { isMysqlUrl } from '../../adapters/sql/mysql/mysql-url.js';
import { openDashboardDatabase } from '../../adapters/sql/postgres/open-database.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import { DEMO_CONTENT } from '../../composition/project-folders.js';

/** Loads the demo. Each run creates new keys, because earlier ones cannot be shown again. */
export async function loadDemo(writeDatabaseUrl: string, print: (text: string) => void): Promise<void> {
  if (isMysqlUrl(writeDatabaseUrl)) {
    throw new Error(
      'The demo content needs a dashboard on PostgreSQL, but WRITE_DATABASE_URL is another database: use `npm start` instead.',
    );
  }
  const dashboard = dashboardOf({ writeDatabaseUrl });
  const database = openDashboardDatabase(writeDatabaseUrl);
  try {
    await dashboard.requireTables(database);
    const organizations = await loadDemoContent(database, DEMO_CONTENT);
    if (organizations.length === 0) {
      throw new Error(
        "The dashboard's database (WRITE_DATABASE_URL) already has organizations: demo content is loaded only into an empty dashboard.",
      );
    }
    const keyManager = dashboard.keysIn(database);
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
