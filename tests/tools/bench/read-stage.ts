import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import packageJson from '../../../package.json' with { type: 'json' };
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { findRedisMachine } from '../../support/redis/redis-machine.js';
import { RedisServer } from '../../support/redis/redis-server.js';
import { Load } from './load.js';
import { MeasuredServer, type Question } from './measured-server.js';
import { processorTimeOf } from './processor-time.js';

export const ORGANIZATIONS = 20;
const KEYS = 2_000;
export const BLOGS_OF_EACH = 60;
export const LIST = '/api/v1/blogs';
/** A blog with 6 KB, of the organization of `keysOfOne`. */
export const DETAIL = '/api/v1/blogs/web%20of%20org_0%201';
/** The arguments of `npm run api`, started without npm. */
export const API = packageJson.scripts.api.replace('exec node ', '').split(' ');

const CONTENT = `
  insert into blogs (id, website_id, title, slug, excerpt, meta_description, content_html, status, published_at)
  select w.id || ' ' || n, w.id, 'Blog ' || n || ' ' || md5(w.id || n), 'blog-' || n, 'What blog ' || n || ' is about',
    'A sentence that search engines show below the title of blog ' || n, '<p>' || repeat('Words. ', 840) || '</p>',
    'published', now() - n * interval '1 minute'
  from websites w, generate_series(1, ${BLOGS_OF_EACH}) as n;
  insert into categories (id, website_id, name, slug) select 'category of ' || id, id, 'Category', 'category' from websites;
  insert into blog_categories (blog_id, category_id) select id, 'category of ' || website_id from blogs;`;

/** Read tables with content, a Redis, servers on them, and callers with 2,000 keys. */
export class ReadStage {
  readonly keys = Array.from({ length: KEYS }, (_, n) => `secret-key-number-${n}`);
  readonly keysOfOne = this.keys.filter((_, n) => n % ORGANIZATIONS === 0);
  readonly load = new Load();
  readonly #servers: MeasuredServer[] = [];

  private constructor(
    readonly dashboard: Dashboard,
    readonly redis: RedisServer,
    private readonly redisPid: number,
  ) {}

  static async set(): Promise<ReadStage> {
    const machine = await findRedisMachine();
    if (machine === null) throw new Error('There is no Redis for the benchmark: install redis-server');
    const redis = await RedisServer.start(machine);
    const stage = new ReadStage(await Dashboard.create(ORGANIZATIONS), redis, await redis.pid());
    await stage.#fill();
    return stage;
  }

  get question(): Question {
    return { path: LIST, key: this.keys[0] as string };
  }

  /** Without Redis, the limit and the cache are in memory. */
  api(withRedis: boolean): Promise<MeasuredServer> {
    const settings = { READ_DATABASE_URL: this.dashboard.readDatabaseUrl, RATE_LIMIT_MAX: '10000000' };
    return this.#start(API, { ...settings, ...(withRedis && { REDIS_URL: this.redis.url }) });
  }

  /** It ends with its parent process or when it is stopped. */
  worker(): RunningProgram {
    return new RunningProgram(['sync'], {
      READ_DATABASE_URL: this.dashboard.readDatabaseUrl,
      WRITE_DATABASE_URL: this.dashboard.writeDatabaseUrl,
      REDIS_URL: this.redis.url,
      LOG_LEVEL: 'warn',
    });
  }

  /** A baseline that sends what `product` sends for a HIT. Without Koa, it is what Node itself takes. */
  async constant(product: MeasuredServer, path: string, withKoa = true): Promise<MeasuredServer> {
    const { key } = this.question;
    const { text, headers } = await sendRequest(product.address, path, { 'X-API-Key': key });
    const { connection, 'keep-alive': keepAlive, date, ...own } = headers;
    const constant = JSON.stringify({ path, headers: own, body: text, withKoa });
    return this.#start(tsx('baseline-server.ts'), { CONSTANT: constant }, { path, key });
  }

  query(): Promise<MeasuredServer> {
    const environment = { READ_DATABASE_URL: this.dashboard.readDatabaseUrl, ORGANIZATION_ID: 'org_0' };
    return this.#start(tsx('baseline-query-server.ts'), environment);
  }

  /** The processor time of Redis so far, in milliseconds. */
  redisTime(): Promise<number> {
    return processorTimeOf(this.redisPid);
  }

  async strike(): Promise<void> {
    this.load.end();
    await Promise.all(this.#servers.map((server) => server.stop()));
    await this.redis.stop();
  }

  async #start(
    args: readonly string[],
    environment: Record<string, string>,
    question = this.question,
  ): Promise<MeasuredServer> {
    const server = await MeasuredServer.start(args, environment, question);
    this.#servers.push(server);
    return server;
  }

  async #fill(): Promise<void> {
    await this.dashboard.sql(CONTENT);
    const keys = this.keys.map((key, n) => ({
      id: `bench_key_${n}`,
      organization_id: `org_${n % ORGANIZATIONS}`,
      key_hash: createHash('sha256').update(key).digest('hex'),
    }));
    await this.dashboard.sql(
      `insert into api_keys (id, organization_id, key_hash)
       select id, organization_id, key_hash from json_populate_recordset(null::api_keys, $1)`,
      [JSON.stringify(keys)],
    );
    await this.dashboard.sync();
  }
}

function tsx(file: string): readonly string[] {
  return ['--import', 'tsx', fileURLToPath(new URL(file, import.meta.url))];
}
