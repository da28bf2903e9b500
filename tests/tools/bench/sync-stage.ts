import pg from 'pg';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { RunningProgram } from '../../support/programs/program.js';
import { findRedisMachine } from '../../support/redis/redis-machine.js';
import { RedisServer } from '../../support/redis/redis-server.js';

export const BLOGS = 50_000;
/** The number of blogs in the renamed category. */
const BLOGS_OF_CATEGORY = 10_000;

/** 2 KB of HTML for each blog, of a kind that cannot be compressed much. */
const CONTENT = `
  insert into organizations (id, name) values ('large', 'Large');
  insert into websites (id, organization_id, name) values ('web_large', 'large', 'Large');
  insert into categories (id, website_id, name, slug) values ('wide', 'web_large', 'Wide', 'wide');
  insert into blogs (id, website_id, title, slug, excerpt, content_html, status, published_at)
  select 'large_' || n, 'web_large', 'Blog ' || n, 'blog-' || n, 'What blog ' || n || ' is about',
    '<p>' || (select string_agg(md5(n || ' ' || part), ' ') from generate_series(1, 61) as part) || '</p>',
    'published', now() - n * interval '1 minute'
  from generate_series(1, ${BLOGS}) as n;
  insert into blog_categories (blog_id, category_id) select 'large_' || n, 'wide' from generate_series(1, ${BLOGS_OF_CATEGORY}) as n;
  analyze;`;

/** Both databases, a Redis, and the real programs on them. */
export class SyncStage {
  readonly #running: RunningProgram[] = [];

  private constructor(
    readonly dashboard: Dashboard,
    private readonly redis: RedisServer,
    /** Open connections: a measurement begins with a commit, not with a connection. */
    readonly write: pg.Client,
    readonly read: pg.Client,
  ) {}

  static async set(tenants: number): Promise<SyncStage> {
    const machine = await findRedisMachine();
    if (machine === null) throw new Error('There is no Redis for the benchmark: install redis-server');
    const redis = await RedisServer.start(machine);
    const dashboard = await Dashboard.create(tenants);
    const write = new pg.Client(dashboard.writeDatabaseUrl);
    const read = new pg.Client(dashboard.readDatabaseUrl);
    await Promise.all([write.connect(), read.connect()]);
    await write.query(CONTENT);
    // As if the content had been there from the start: a fill is measured, not a queue.
    await write.query('truncate content_sync.change_queue');
    return new SyncStage(dashboard, redis, write, read);
  }

  run(...args: readonly string[]): RunningProgram {
    const program = new RunningProgram(args, {
      READ_DATABASE_URL: this.dashboard.readDatabaseUrl,
      WRITE_DATABASE_URL: this.dashboard.writeDatabaseUrl,
      REDIS_URL: this.redis.url,
      RATE_LIMIT_MAX: '1000000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    this.#running.push(program);
    return program;
  }

  async strike(): Promise<void> {
    await Promise.all(this.#running.map((program) => program.end('SIGTERM')));
    await Promise.all([this.write.end(), this.read.end()]);
    await this.redis.stop();
  }
}
