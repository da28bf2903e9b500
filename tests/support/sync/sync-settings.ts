import type { SyncConfiguration } from '../../../src/composition/settings/configuration.js';
import { syncStatus } from '../../../src/programs/sync/sync-status.js';

export interface Databases {
  readonly writeDatabaseUrl: string;
  readonly readDatabaseUrl: string;
}

/** The settings of a worker that polls often, without a log. */
export function syncSettings({ writeDatabaseUrl, readDatabaseUrl }: Databases) {
  return {
    writeDatabaseUrl,
    readDatabaseUrl,
    syncPollMs: 10,
    webhooks: [],
    logLevel: 'silent',
    logPretty: false,
  } as const satisfies SyncConfiguration;
}

/** What `sync --status` prints, as text or as the object that its JSON describes. */
export async function statusOf(
  databases: Databases,
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any part of the report
): Promise<{ readonly text: string; readonly json: any }> {
  const printed: string[] = [];
  for (const json of [false, true]) {
    await syncStatus(syncSettings(databases), { json }, (text) => printed.push(text));
  }
  const [text = '', json = ''] = printed;
  return { text, json: JSON.parse(json) };
}
