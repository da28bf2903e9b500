import pg from 'pg';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { RunningProgram } from '../../support/programs/program.js';
import { atLeast, atMost, type Figure, median, type Note } from './figures.js';
import { timed } from './long-work.js';

const BLOGS = 100_000;
const ROUNDS = 3;
const PROMISED_OF_COPY = 0.5;
/** The tables that a fill writes: the blogs themselves, and what lists and searches are read from. */
const WRITTEN = ['blogs', 'list_entries', 'list_totals', 'titles'] as const;
const PROMISED_UNCHANGED = 10_000;
const PROMISED_MEGABYTES = 200;

/** Each blog has 2 KB of HTML in pieces without a pattern, a category and two tags. */
const CONTENT = `
  insert into organizations (id, name) values ('large', 'Large');
  insert into websites (id, organization_id, name) values ('web', 'large', 'Large');
  insert into categories (id, website_id, name, slug) select 'category_' || n, 'web', 'Category ' || n, 'category-' || n from generate_series(0, 19) as n;
  insert into tags (id, website_id, name, slug) select 'tag_' || n, 'web', 'Tag ' || n, 'tag-' || n from generate_series(0, 99) as n;
  create temp table piece as select array_agg((select string_agg(md5(n || ' ' || part), '') from generate_series(1, 8) as part)) as of from generate_series(1, 500) as n;
  insert into blogs (id, website_id, title, slug, excerpt, content_html, status, published_at)
  select 'blog_' || n, 'web', 'Blog ' || n || ' ' || md5(n::text), 'blog-' || n, 'What blog ' || n || ' is about',
    '<p>' || (select string_agg(piece.of[1 + (n * part * 7 + n) % 500], ' ') from piece, generate_series(1, 8) as part) || '</p>',
    'published', timestamptz '2026-01-01' - (n::bigint * 7919 % ${BLOGS}) * interval '1 minute'
  from generate_series(1, ${BLOGS}) as n;
  insert into blog_categories select 'blog_' || n, 'category_' || n % 20 from generate_series(1, ${BLOGS}) as n;
  insert into blog_tags select 'blog_' || n, 'tag_' || (n + more) % 100 from generate_series(1, ${BLOGS}) as n, unnest(array[0, 37]) as more;
  truncate content_sync.change_queue;
  analyze;`;

class FillStage {
  private constructor(
    private readonly dashboard: Dashboard,
    private readonly read: pg.Client,
  ) {}

  static async set(): Promise<FillStage> {
    const dashboard = await Dashboard.create(0);
    await dashboard.sql(CONTENT);
    const read = new pg.Client(dashboard.readDatabaseUrl);
    await read.connect();
    return new FillStage(dashboard, read);
  }

  async empty(): Promise<void> {
    await this.read.query(
      `truncate content_read.blogs, content_read.titles, content_read.list_entries, content_read.list_totals,
         content_read.categories, content_read.tags, content_read.organizations`,
    );
  }

  rebuild(): Promise<{ readonly seconds: number; readonly megabytes: number }> {
    const { readDatabaseUrl, writeDatabaseUrl } = this.dashboard;
    return timed(
      new RunningProgram(['sync', '--rebuild'], {
        READ_DATABASE_URL: readDatabaseUrl,
        WRITE_DATABASE_URL: writeDatabaseUrl,
      }),
    );
  }

  async copySecondsOfEach(): Promise<readonly number[]> {
    const seconds: number[] = [];
    for (const table of WRITTEN) seconds.push(await this.#copySeconds(table));
    return seconds;
  }

  /** Copies the same rows into a table with the same indexes, from a file on the server. */
  async #copySeconds(table: string): Promise<number> {
    const { rows } = await this.read.query(`select current_setting('data_directory') || '/copied' as file`);
    await this.read.query(`copy content_read.${table} to '${rows[0].file}'`);
    await this.read.query(`create table copied (like content_read.${table} including all)`);
    const begin = performance.now();
    await this.read.query(`copy copied from '${rows[0].file}'`);
    const seconds = (performance.now() - begin) / 1000;
    await this.read.query('drop table copied');
    return seconds;
  }

  async strike(): Promise<void> {
    await this.read.end();
  }
}

/** Measures a fill and COPY in turn. */
export async function measureFill(note: Note): Promise<void> {
  const stage = await FillStage.set();
  const [fills, blogsAlone, allWritten]: [number[], number[], number[]] = [[], [], []];
  const [unchanged, memory]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await stage.empty();
    const fill = await stage.rebuild();
    fills.push(fill.seconds);
    const copies = await stage.copySecondsOfEach();
    blogsAlone.push(copies[0] ?? Number.NaN);
    allWritten.push(copies.reduce((sum, seconds) => sum + seconds, 0));
    const again = await stage.rebuild();
    unchanged.push(again.seconds);
    memory.push(fill.megabytes, again.megabytes);
  }
  await stage.strike();
  const ofCopy = (what: string, copies: readonly number[]) =>
    ofOther(
      `a fill with ${BLOGS} blogs, of COPY of ${what}`,
      BLOGS / median(fills),
      BLOGS / median(copies),
      PROMISED_OF_COPY,
    );
  note(
    ofCopy('the blogs alone, with their indexes', blogsAlone),
    ofCopy('all that a fill writes, four tables with all indexes', allWritten),
    atLeast(`a rebuild where nothing changed`, BLOGS / median(unchanged), PROMISED_UNCHANGED, ' blogs/s'),
    atMost('memory of the sync worker', Math.max(...memory), PROMISED_MEGABYTES, ' MB'),
  );
}

function ofOther(what: string, rate: number, other: number, promised: number): Figure {
  const figure = atLeast(what, rate / other, promised);
  return { ...figure, measured: `${figure.measured} (${rate.toFixed(0)} : ${other.toFixed(0)} blogs/s)` };
}
