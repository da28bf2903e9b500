import type { Knex } from 'knex';
import { startCapturedDashboard } from '../../support/dashboards/captured-changes.js';
import { DashboardUnderTest } from '../../support/dashboards/dashboard-under-test.js';
import { atMost, type Figure, median, type Note } from './figures.js';
import { inTurn, millisecondsOf } from './in-turn.js';

/**
 * What the change capture costs the dashboard's own statements: the same statements in two databases on one server,
 * with and without capture, in turn. The test server does not wait for its disk, so the capture's share is larger
 * here than on a real one.
 */
const BLOGS = 20_000;
const ROUNDS = 9;
const SINGLE_UPDATES = 500;
const PROMISED_BULK_RATIO = 2;
const PROMISED_ROW_RATIO = 1.3;

/** Words, because a text of one repeated letter would be compressed to almost nothing. */
const HTML = `
  (select '<p>' || string_agg(md5(n::text || '-' || word::text), ' ') || '</p>' from generate_series(1, 62) as word)`;

const BULK_STATEMENTS = {
  'bulk, short columns': 'update blogs set word_count = word_count + 1, updated_at = now()',
  'bulk, with the HTML': `update blogs set content_html = reverse(content_html), updated_at = now()`,
};

async function fill({ database }: DashboardUnderTest): Promise<void> {
  await database.raw(`
    insert into organizations (id, name) values ('org', 'Organization');
    insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
    insert into blogs (id, website_id, title, slug, status, published_at, content_html)
    select 'blog_' || n, 'web', 'Title ' || n, 'slug-' || n, 'published', now(), ${HTML} from generate_series(1, ${BLOGS}) as n`);
}

/** Does what the worker and autovacuum would do between two statements, so that no round pays for the previous one. */
async function tidy(database: Knex): Promise<void> {
  const captured = await database.raw(`select to_regclass('content_sync.change_queue') is not null as found`);
  if (captured.rows[0].found) await database.raw('truncate content_sync.change_queue');
  await database.raw('vacuum analyze blogs');
  await database.raw('checkpoint');
}

function slower(
  what: string,
  [without, captured]: readonly [readonly number[], readonly number[]],
  promised: number,
): Figure {
  return atMost(`change capture: ${what}`, median(captured) / median(without), promised, ' x as long');
}

export async function measureCapture(note: Note): Promise<void> {
  const dashboards = [await DashboardUnderTest.start(), await startCapturedDashboard()] as const;
  const databases = [dashboards[0].database, dashboards[1].database] as const;
  try {
    for (const dashboard of dashboards) await fill(dashboard);
    for (const [what, sql] of Object.entries(BULK_STATEMENTS)) {
      const timed = await inTurn(databases, ROUNDS, async (database) => {
        await tidy(database);
        return millisecondsOf(() => database.raw(sql));
      });
      note(slower(what, timed, PROMISED_BULK_RATIO));
    }
    for (const database of databases) await tidy(database);
    const singles = await inTurn(databases, SINGLE_UPDATES, (database, round) =>
      millisecondsOf(() =>
        database.raw(`update blogs set title = ? where id = ?`, ['New', `blog_${round + 1}`]),
      ),
    );
    note(slower('one row', singles, PROMISED_ROW_RATIO));
  } finally {
    for (const dashboard of dashboards) await dashboard.stop();
  }
}
