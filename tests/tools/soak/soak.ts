import 'reflect-metadata';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { sendRequest } from '../../support/http/send-request.js';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { median } from '../bench/figures.js';
import { LIST, ReadStage } from '../bench/read-stage.js';

const SAMPLES = 120;
/** More answers than fit into memory: on any machine, the observed process has full caches. */
const FILLING_SEARCHES = 25_000;
const CALLERS = 8;
const PAUSE_MS = 5;
const EDIT_EVERY_MS = 500;
const EDIT = `update blogs set title = 'Edit ' || $1 where id = (select id from blogs order by md5(id || $1) limit 1)`;
/** A process may use this much more memory at the end, because garbage is collected late. */
const ALLOWED_GROWTH = 1.1;
/** One more connection of a pool, or one more open file. */
const ALLOWED_MORE = 5;

/** The requests of callers in turn: for existing and missing content, invalid ones, and uncached ones. */
const REQUESTS: readonly ((n: number) => readonly [path: string, expected: number])[] = [
  () => [LIST, 200],
  (n) => [`${LIST}?page=${1 + (n % 3)}`, 200],
  (n) => [`${LIST}?search=${n}`, 200],
  () => ['/api/v1/categories', 200],
  () => ['/api/v1/tags', 200],
  (n) => [`${LIST}/unknown-${n}`, 404],
  () => [`${LIST}?limit=0`, 400],
];

/** Values that must not grow while a service runs, by name. */
type VitalSigns = Readonly<Record<string, number>>;

/** Runs the real programs under mixed load and edits for a long time: no sign of them may grow. */
const { values: flags } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(flags.minutes);
const say = (text: string) => process.stdout.write(`${text}\n`);
const failures = new Set<string>();
let [requests, edits, isOver] = [0, 0, false];

const stage = await ReadStage.set();
const worker = stage.worker();
const redis = new Redis(stage.redis.url);
try {
  const api = await stage.api(true);
  const { address } = api;
  const filling = { path: `${LIST}?search=`, unique: 'filling-', until: { amount: FILLING_SEARCHES } };
  await stage.load.send({ address, keys: stage.keys, ...filling });
  say('caches are full');
  const callers = Array.from({ length: CALLERS }, () => call(address));
  const samples: VitalSigns[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const due = performance.now() + (minutes * 60_000) / SAMPLES;
    while (performance.now() < due) {
      await stage.dashboard.sql(EDIT, [String(edits++)]);
      await pause(EDIT_EVERY_MS);
    }
    samples.push(await look({ api: api.pid, sync: worker.pid }));
  }
  isOver = true;
  await Promise.all(callers);
  say(`${requests} requests and ${edits} edits in ${minutes} minutes`);
  for (const [name, value] of Object.entries(samples.at(-1) ?? {})) say(`${name}: ${value.toFixed(0)}`);
  judge(samples);
  for (const failure of failures) say(`FAILED: ${failure}`);
  process.exitCode = failures.size === 0 ? 0 : 1;
} finally {
  redis.disconnect();
  await worker.end('SIGTERM');
  await stage.strike();
  await stopTestPostgres();
}

async function call(address: string): Promise<void> {
  while (!isOver) {
    const n = requests++;
    const [path, expected] = (REQUESTS[n % REQUESTS.length] as (typeof REQUESTS)[number])(n);
    const headers = { 'X-API-Key': stage.keys[n % stage.keys.length], 'Accept-Encoding': 'gzip, br' };
    const status = await sendRequest(address, path, headers).then(
      (answer) => answer.status,
      (error: Error) => error.message,
    );
    if (status !== expected) failures.add(`${path.replace(/\d+/, 'N')}: ${status}`);
    await pause(PAUSE_MS);
  }
}

/** From outside. */
async function look(processes: Readonly<Record<string, number>>): Promise<VitalSigns> {
  const signs: Record<string, number> = {
    'connections to Redis': Number(/connected_clients:(\d+)/.exec(await redis.info('clients'))?.[1]),
  };
  for (const [name, pid] of Object.entries(processes)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    signs[`MB of ${name}`] = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    // Connections to PostgreSQL are among them.
    signs[`handles of ${name}`] = (await readdir(`/proc/${pid}/fd`)).length;
  }
  return signs;
}

/** From the second quarter of a run, when caches and pools are full, to the last one. */
function judge(samples: readonly VitalSigns[]): void {
  const quarter = Math.floor(samples.length / 4);
  const medianOf = (part: readonly VitalSigns[], name: string) =>
    median(part.map((signs) => signs[name] ?? Number.NaN));
  for (const name of Object.keys(samples[0] ?? {})) {
    const [before, after] = [
      medianOf(samples.slice(quarter, 2 * quarter), name),
      medianOf(samples.slice(-quarter), name),
    ];
    if (after <= before * ALLOWED_GROWTH || after <= before + ALLOWED_MORE) continue;
    failures.add(`${name} has grown: ${before.toFixed(0)} at first, ${after.toFixed(0)} at the end`);
  }
}
