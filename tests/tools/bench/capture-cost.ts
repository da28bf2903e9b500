import type { Knex } from 'knex';
import { startCapturedDashboard } from '../../support/dashboards/captured-changes.js';
import { DashboardUnderTest } from '../../support/dashboards/dashboard-under-test.js';
import { atMost, median, type Note } from './figures.js';

/**
 * What the change capture costs the dashboard's own statements: the same statements in two databases on one server,
 * with and without capture, in turn. The test server does not wait for its disk, so the capture's share is larger
 * here than on a real one.
 */
const BLOGS = 20_000;
const SINGLE_UPDATES = 500;

/** Words, because a text of one repeated letter would be compressed to almost nothing. */
const HTML = `
  (select '<p>' || string_agg(md5(n::text || '-' || word::text), ' ') || '</p>' from generate_series(1, 62) as word)`;

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into blogs (id, website_id, title, slug, status, published_at, content_html)
  select 'blog_' || n, 'web', 'Title ' || n, 'slug-' || n, 'published', now(), ${HTML} from generate_series(1, ${BLOGS}) as n`;

const BULK_STATEMENTS = {
  'bulk, short columns': 'update blogs set word_count = word_count + 1, updated_at = now()',
  'bulk, with the HTML': `update blogs set content_html = reverse(content_html), updated_at = now()`,
};

/** A dashboard without capture and one with it. */
export type Pair = readonly [without: Knex, captured: Knex];

/** Does what the worker and autovacuum would do between two statements, so that no round pays for the previous one. */
async function tidy(database: Knex): Promise<void> {
  const captured = await database.raw(`select to_regclass('content_sync.change_queue') is not null as found`);
  if (captured.rows[0].found) await database.raw('truncate content_sync.change_queue');
  await database.raw('vacuum analyze blogs');
  await database.raw('checkpoint');
}

export async function measureCapture(note: Note): Promise<void> {
  const dashboards = [await DashboardUnderTest.start(), await startCapturedDashboard()] as const;
  const pair = [dashboards[0].database, dashboards[1].database] as const;
  try {
    for (const database of pair) await database.raw(CONTENT);
    for (const [what, sql] of Object.entries(BULK_STATEMENTS)) {
      note(await slower(`change capture: ${what}`, pair, 2, 9, () => sql, tidy));
    }
    for (const database of pair) await tidy(database);
    note(await slower('change capture: one row', pair, 1.3, SINGLE_UPDATES, updateOf));
  } finally {
    for (const dashboard of dashboards) await dashboard.stop();
  }
}

export function updateOf(round: number): string {
  return `update blogs set title = 'new ${round}' where id = 'blog_${round + 1}'`;
}

/** How many times as long a statement takes with the capture. Each of the two is first equally often. */
export async function slower(
  what: string,
  pair: Pair,
  promised: number,
  rounds: number,
  statementOf: (round: number) => string,
  before: (database: Knex) => Promise<void> = async () => {},
) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      await before(pair[which]);
      const begin = performance.now();
      await pair[which].raw(statementOf(round));
      times[which].push(performance.now() - begin);
    }
  }
  return atMost(what, median(times[1]) / median(times[0]), promised, ' x as long');
}
