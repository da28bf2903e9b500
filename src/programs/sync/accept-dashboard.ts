import type { Extended } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import { acceptDashboard } from './known-databases.js';
import { withSession } from './sync-program.js';

/** For an operator who moved, restored or upgraded the dashboard's database. */
export function acceptPresentDashboard(
  configuration: SyncConfiguration,
  print: (text: string) => void,
  extended?: Extended<WorkerAdditions>,
): Promise<void> {
  return withSession(configuration, extended, async (session) => {
    await session.requireTables();
    await acceptDashboard(session.dashboard, session.notes);
    print('Confirmed: the worker reads everything again from the dashboard of WRITE_DATABASE_URL.');
  });
}
