import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { LIST, ReadStage } from '../bench/read-stage.js';
import { MixedLoad } from './mixed-load.js';
import { excessOf, growthOf, Observer, type VitalSigns } from './vital-signs.js';

const SAMPLES = 120;
const PROMISED = { 'MB of api': 200, 'MB of sync': 200 };
/** More answers than fit into memory: on any machine, the observed process has full caches. */
const FILLING_SEARCHES = 25_000;
const EDIT_EVERY_MS = 500;
const EDIT = `update blogs set title = 'Edit ' || $1 where id = (select id from blogs order by md5(id || $1) limit 1)`;

/** Runs the real programs under mixed load and edits for a long time: no sign of them may grow. */
const { values: flags } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(flags.minutes);
const say = (text: string) => process.stdout.write(`${text}\n`);

const stage = await ReadStage.set();
const worker = stage.worker();
try {
  const api = await stage.api(true);
  const processes = { api: api.pid, sync: worker.pid };
  const observer = await Observer.start(processes, stage.redis.url, stage.dashboard.readDatabaseUrl);
  await stage.load.send({
    address: api.address,
    keys: stage.keys,
    path: `${LIST}?search=`,
    unique: 'filling-',
    until: { amount: FILLING_SEARCHES },
  });
  say('caches are full');
  const load = new MixedLoad(api.address, stage.keys);
  const samples: VitalSigns[] = [];
  let edits = 0;
  for (let n = 0; n < SAMPLES; n++) {
    const due = performance.now() + (minutes * 60_000) / SAMPLES;
    while (performance.now() < due) {
      await stage.dashboard.sql(EDIT, [String(edits++)]);
      await pause(EDIT_EVERY_MS);
    }
    samples.push(await observer.look());
  }
  await load.stop();
  await observer.end();
  say(`${load.sent} requests and ${edits} edits in ${minutes} minutes`);
  for (const [name, value] of Object.entries(samples.at(-1) ?? {})) say(`${name}: ${value.toFixed(0)}`);
  judge('has grown', growthOf(samples));
  judge('takes more than is promised', excessOf(samples, PROMISED));
  judge('had an unexpected status', [...new Set(load.unexpected)].slice(0, 10));
} finally {
  await worker.end('SIGTERM');
  await stage.strike();
  await stopTestPostgres();
}

function judge(what: string, found: readonly string[]): void {
  for (const each of found) say(`FAILED, ${what}: ${each}`);
  if (found.length > 0) process.exitCode = 1;
}
