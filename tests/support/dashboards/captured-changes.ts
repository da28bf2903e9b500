import type { Knex } from 'knex';
import { installCapture } from '../../../src/adapters/dashboard/postgres/capture/capture.js';
import { createCapturedDashboard } from '../postgres/migrated-databases.js';
import { DashboardUnderTest } from './dashboard-under-test.js';
import { REFERENCE } from './reference-mapping.js';

/** A dashboard's database whose changes are captured. */
export async function startCapturedDashboard(): Promise<DashboardUnderTest> {
  return DashboardUnderTest.at(await createCapturedDashboard());
}

/** Repairs the change capture as `npm run migrate` does. */
export async function repairCapture(database: Knex): Promise<number> {
  return (await installCapture(database, REFERENCE)).triggers;
}

/** The changes in the queue as `kind key`, without duplicates, in order. */
export async function waitingChanges(database: Knex): Promise<string[]> {
  const { rows }: { rows: { change: string }[] } = await database.raw(
    `select distinct concat_ws(' ', kind, key) collate "C" as change from content_sync.change_queue order by change`,
  );
  return rows.map(({ change }) => change);
}

/** The changes that `work` adds to the change queue. */
export async function changesOf(database: Knex, work: () => PromiseLike<unknown>): Promise<string[]> {
  await database.raw('delete from content_sync.change_queue');
  await work();
  return waitingChanges(database);
}
