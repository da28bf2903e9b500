import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { measureCapture } from './capture-cost.js';
import { chartOf } from './chart.js';
import { measureCold } from './cold.js';
import { measureCosts } from './costs.js';
import { measureDashboards } from './dashboards.js';
import { type Figure, type Note, tableOf } from './figures.js';
import { measureMariaDbFill } from './mariadb-fill.js';
import { PAGES, withFigures } from './pages.js';
import { measurePeers } from './peers/peers.js';
import { measureReads } from './reads.js';
import { measureBulk, measureSync } from './sync.js';

const FIGURES = new URL('../../../docs/benchmarks/figures.json', import.meta.url);
const CHART = new URL('../../../docs/benchmarks/figures.svg', import.meta.url);
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'reads,cold,capture,sync,bulk' },
  },
});

const PARTS: Readonly<Record<string, (note: Note) => Promise<void>>> = {
  reads: measureReads,
  cold: measureCold,
  capture: measureCapture,
  costs: measureCosts,
  dashboards: measureDashboards,
  sync: measureSync,
  bulk: measureBulk,
  mariaDbFill: measureMariaDbFill,
  peers: measurePeers,
};

interface Part {
  readonly at: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
}

const say = (text: string) => process.stdout.write(`${text}\n`);
const parts: Record<string, Part> = JSON.parse(await readFile(FIGURES, 'utf8').catch(() => '{}'));
const measured: Figure[] = [];
try {
  // With --only= pages and chart are written again from the figures that exist.
  for (const name of flags.only.split(',').filter((part) => part !== '')) {
    const measure = PARTS[name];
    if (measure === undefined) throw new Error(`--only takes some of ${Object.keys(PARTS)}, not ${name}`);
    const figures = await measuredBy(measure);
    parts[name] = { at: new Date().toISOString(), machine: machine(), figures };
    measured.push(...figures);
  }
} finally {
  await stopTestPostgres();
}
const all = Object.values(parts).flatMap(({ figures }) => figures);
await writeFile(FIGURES, `${JSON.stringify(parts, null, 2)}\n`);
await writeFile(CHART, chartOf(all));
for (const path of PAGES) {
  const page = new URL(`../../../${path}`, import.meta.url);
  await writeFile(page, withFigures(path, await readFile(page, 'utf8'), all));
}
say(`\n${tableOf(measured)}`);
process.exitCode = measured.every(({ kept }) => kept >= 1) ? 0 : 1;

async function measuredBy(measure: (note: Note) => Promise<void>): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  await measure((...more) => {
    for (const { what, measured } of more) say(`${what}: ${measured} (load of the machine ${load()})`);
    figures.push(...more);
  });
  return figures;
}

function machine(): string {
  return `${availableParallelism()} x ${cpus()[0]?.model}, Node ${process.version}, load ${load()} at the end`;
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '';
}
