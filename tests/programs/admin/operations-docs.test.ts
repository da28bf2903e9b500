import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  type Description,
  EVENTS,
  GAUGES,
  type GaugeName,
  REQUESTS,
} from '../../../src/adapters/operations/metric-names.js';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import type { RedisProbe } from '../../../src/adapters/redis/connection/redis-probe.js';
import { connectWorker } from '../../../src/adapters/sql/postgres/connect-worker.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { Probe } from '../../../src/programs/admin/probe.js';
import { apiChecks, syncAgeCheck } from '../../../src/programs/api/api-checks.js';
import { redisServerChecks } from '../../../src/programs/api/redis-checks.js';
import { syncingCheck, WorkerChecks } from '../../../src/programs/sync/worker-checks.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

interface Described extends Description {
  readonly labelNames?: readonly string[];
}

function tableOfTheCode(): string {
  const described: readonly Described[] = [
    ...Object.values(EVENTS),
    ...Object.values(REQUESTS),
    ...Object.values(GAUGES),
  ];
  const rows = described.map(({ name, help, labelNames = [] }) => {
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${labels} | ${help} |`;
  });
  return ['| metric | labels | meaning |', '|---|---|---|', ...rows.sort()].join('\n');
}

/** The metrics of a program that has everything. */
async function metricsOfTheCode(): Promise<readonly string[]> {
  const metrics = new PrometheusMetrics();
  const names = Object.keys(GAUGES) as GaugeName[];
  for (const name of names) metrics.watch([name], () => ({ [name]: 1 }) as Record<GaugeName, number>);
  metrics.watchProcess();
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
}

describe('The documentation of operations', () => {
  let rules: readonly Rule[];
  let pages: readonly string[];

  before(async () => {
    const alerts: { groups: { rules: Rule[] }[] } = parse(
      await readFile('docs/operations/alerts.yml', 'utf8'),
    );
    pages = (await readdir('docs/operations')).filter((file) => /^[a-z]+\.md$/.test(file));
    expect(pages).to.include('alerts.md');
    rules = alerts.groups.flatMap((group) => group.rules);
  });

  it('has the metrics of the code', async () => {
    const page = await readFile('docs/operations/running.md', 'utf8');
    const table = /<!-- metrics -->\n([\s\S]*)\n<!-- \/metrics -->/.exec(page)?.[1];
    expect(table).to.equal(tableOfTheCode());
  });

  it('has each check of /readyz and the doctor, under its name', async () => {
    const page = await readFile('docs/operations/running.md', 'utf8');
    const url = 'postgres://user@127.0.0.1:1/database';
    const engine = dashboardOf({ writeDatabaseUrl: url });
    const worker = new WorkerChecks({ engine, readDatabaseUrl: url }, [], new Map());
    const tables = new Probe((name) => connectWorker(url, name));
    const redis = new Probe<RedisProbe>(() => {
      throw new Error('not asked');
    });
    const syncAge = syncAgeCheck({ read: () => Promise.reject(new Error('not asked')) }, null, null);
    const checks = [
      ...worker.list,
      syncingCheck(() => null),
      ...apiChecks(tables, syncAge, redisServerChecks(['redis', 'redisCache'], 'REDIS_URL', redis)),
      ...redisServerChecks(['redisCache'], 'REDIS_CACHE_URL', redis),
    ];
    expect(checks).to.have.length.above(20);
    for (const { name } of checks) expect(page).to.include(`\`${name}\``);
  });

  it('has steps for each alert, at the address that the alert gives', async () => {
    const page = await readFile('docs/operations/alerts.md', 'utf8');
    const sections = page.split(/^### /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).to.have.members(
      rules.map(({ alert }) => alert),
    );
    for (const section of sections) expect(section).to.match(/^1\. /m);
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).to.match(
        new RegExp(`/docs/operations/alerts\\.md#${alert.toLowerCase()}$`),
      );
    }
  });

  it('has no cell of more than 40 words, which nobody reads in a hurry', async () => {
    for (const file of pages) {
      const rows = (await readFile(`docs/operations/${file}`, 'utf8')).match(/^\|.*$/gm) ?? [];
      const cells = rows.flatMap((row) => row.split('|'));
      expect(
        cells.filter((cell) => cell.trim().split(/\s+/).length > 40),
        file,
      ).to.deep.equal([]);
    }
  });

  it('begins each page with the list of its sections', async () => {
    for (const file of pages) {
      const text = await readFile(`docs/operations/${file}`, 'utf8');
      const [list = ''] = /(?:^ *- \[.*\]\(#.*\)\n)+/m.exec(text) ?? [];
      const sections = [...text.matchAll(/^##+ (.*)$/gm)].map(([, section]) => section);
      expect(
        [...list.matchAll(/\[(.*)\]/g)].map(([, section]) => section),
        file,
      ).to.deep.equal(sections);
    }
  });

  it('uses in alerts and in the dashboard only metrics that exist', async () => {
    const dashboard: Dashboard = JSON.parse(await readFile('docs/operations/dashboard.json', 'utf8'));
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const known = new Set(['up', ...(await metricsOfTheCode())]);
    for (const expr of expressions) {
      const names = expr.match(/\b(up\b|(blog_|process_|nodejs_)\w+)/g) ?? [];
      expect(names, expr).not.to.have.length(0);
      expect(names.filter((name) => !known.has(name))).to.deep.equal([]);
    }
  });
});
