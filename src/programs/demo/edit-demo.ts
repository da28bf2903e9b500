import { join } from 'node:path';
import { editDemoBlog } from '../../adapters/dashboard/demo/edit-demo-blog.js';
import { urlOfRunning } from '../../adapters/embedded/embedded-postgres.js';
import { openDashboardDatabase } from '../../adapters/sql/postgres/open-database.js';
import { START } from '../../composition/project-folders.js';

/** Makes an edit in the dashboard's database of the `embedded` that runs in this folder. */
export async function editDemo(
  dataFolder: string,
  title: string | null,
  print: (text: string) => void,
): Promise<void> {
  const url = await urlOfRunning(join(dataFolder, 'postgres'), 'dashboard');
  if (url === null)
    throw new Error(`No service runs in ${dataFolder}: run \`${START}\` there first, and leave it running.`);
  const database = openDashboardDatabase(url);
  try {
    const { id, before, after } = await editDemoBlog(database, title);
    print(`${id}: "${before}" is now "${after}".`);
  } finally {
    await database.destroy();
  }
}
