import type { Knex } from 'knex';
import { openDatabase } from './open-database.js';
import type { SessionSettings } from './session-settings.js';

/** The dashboard's database. No request waits for it, so its time limits are generous. */
export function openDashboardDatabase(url: string, settings: SessionSettings = {}): Knex {
  return openDatabase(url, {
    name: 'blog-read-api',
    connections: [0, 4],
    connectTimeoutMs: 5_000,
    acquireTimeoutMs: 10_000,
    settings,
    mayWrite: true,
  });
}
