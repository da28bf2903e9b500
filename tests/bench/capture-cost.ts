import type { Knex } from 'knex';
import { startCapturedDashboard } from '../support/captured-changes.js';
import { DashboardUnderTest } from '../support/dashboard-under-test.js';
import { describeTestPostgres, stopTestPostgres } from '../support/test-postgres.js';

/**
 * What the change capture costs the dashboard's own statements: the same statements in two databases on one server, with capture and
 * without, by turns. The test server does not wait for its disk, so the capture's share is larger here than on a real one.
 */
const BLOGS = 20_000;
const ROUNDS = 9;
const SINGLE_UPDATES = 500;
const PROMISED_RATIO = 2;

/** Words, since a text of one repeated letter would be compressed to nothing. */
const HTML = `
  (select '<p>' || string_agg(md5(n::text || '-' || word::text), ' ') || '</p>' from generate_series(1, 62) as word)`;

const BULK_STATEMENTS = {
  'bulk, short columns': 'update blogs set word_count = word_count + 1, updated_at = now()',
  'bulk, the HTML too': `update blogs set content_html = reverse(content_html), updated_at = now()`,
};

async function fill({ database }: DashboardUnderTest): Promise<void> {
  await database.raw(`
    insert into organizations (id, name) values ('org', 'Organization');
    insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
    insert into blogs (id, website_id, title, slug, status, published_at, content_html)
    select 'blog_' || n, 'web', 'Title ' || n, 'slug-' || n, 'published', now(), ${HTML} from generate_series(1, ${BLOGS}) as n`);
}

/** As the worker and autovacuum would between two statements, so that no round pays for the one before. */
async function tidy(database: Knex): Promise<void> {
  const captured = await database.raw(`select to_regclass('content_sync.change_queue') is not null as found`);
  if (captured.rows[0].found) await database.raw('truncate content_sync.change_queue');
  await database.raw('vacuum analyze blogs');
  await database.raw('checkpoint');
}

async function millisecondsOf(work: () => PromiseLike<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(what: string, without: readonly number[], captured: readonly number[]): number {
  const ratio = median(captured) / median(without);
  const [a, b] = [median(without), median(captured)].map((value) => `${value.toFixed(2)} ms`.padStart(12));
  process.stdout.write(`${what.padEnd(22)}${a}${b}${ratio.toFixed(2).padStart(8)}x\n`);
  return ratio;
}

/** Both databases in turn, each first as often as second. */
async function byTurns(
  rounds: number,
  time: (database: Knex, round: number) => Promise<number>,
): Promise<readonly [without: readonly number[], captured: readonly number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[which].push(await time(databases[which], round));
    }
  }
  return times;
}

const dashboards = [await DashboardUnderTest.start(), await startCapturedDashboard()] as const;
const databases = [dashboards[0].database, dashboards[1].database] as const;
const ratios: number[] = [];
try {
  for (const dashboard of dashboards) await fill(dashboard);
  process.stdout.write(`PostgreSQL: ${await describeTestPostgres()}\n`);
  process.stdout.write(
    `${BLOGS} blogs, medians of ${ROUNDS} rounds and ${SINGLE_UPDATES} single updates\n\n`,
  );
  process.stdout.write(
    `${''.padEnd(22)}${'without'.padStart(12)}${'captured'.padStart(12)}${'ratio'.padStart(9)}\n`,
  );
  for (const [what, sql] of Object.entries(BULK_STATEMENTS)) {
    const timed = await byTurns(ROUNDS, async (database) => {
      await tidy(database);
      return millisecondsOf(() => database.raw(sql));
    });
    ratios.push(report(what, ...timed));
  }
  for (const database of databases) await tidy(database);
  const singles = await byTurns(SINGLE_UPDATES, (database, round) =>
    millisecondsOf(() =>
      database.raw(`update blogs set title = ? where id = ?`, ['New', `blog_${round + 1}`]),
    ),
  );
  report('one row', ...singles);
} finally {
  for (const dashboard of dashboards) await dashboard.stop();
  await stopTestPostgres();
}
if (ratios.some((ratio) => ratio > PROMISED_RATIO)) {
  process.stdout.write(
    `\nA bulk statement takes more than ${PROMISED_RATIO} times as long as without capture.\n`,
  );
  process.exitCode = 1;
}
