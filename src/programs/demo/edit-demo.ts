import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { editDemoBlog } from '../../adapters/dashboard/demo/edit-demo-blog.js';
import { urlOfRunning } from '../../adapters/embedded/embedded-postgres.js';
import { openDashboardDatabase } from '../../adapters/sql/postgres/open-database.js';
import { START } from '../../composition/project-folders.js';

const VISIBLE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** Edits the dashboard of the `embedded` that runs in this folder, and waits for it. */
export async function editDemo(
  dataFolder: string,
  title: string | null,
  print: (text: string) => void,
): Promise<void> {
  const cluster = join(dataFolder, 'postgres');
  const url = await urlOfRunning(cluster, 'dashboard');
  const contentUrl = await urlOfRunning(cluster, 'content');
  if (url === null || contentUrl === null)
    throw new Error(`No service runs in ${dataFolder}: run \`${START}\` there first, and leave it running.`);
  const database = openDashboardDatabase(url);
  const content = openDashboardDatabase(contentUrl);
  try {
    const { id, before, after } = await editDemoBlog(database, title);
    print(`${id}: "${before}" is now "${after}".`);
    const deadline = performance.now() + VISIBLE_WITHIN_MS;
    while (!(await content('content_read.blogs').where({ id, title: after }).first('id'))) {
      if (performance.now() >= deadline)
        return print(
          'The API does not show it yet: it is not visible in the read tables. See the log of the service.',
        );
      await pause(LOOK_EVERY_MS);
    }
  } finally {
    await Promise.all([database.destroy(), content.destroy()]);
  }
}
