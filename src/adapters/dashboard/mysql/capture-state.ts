import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { askOne } from './ask.js';
import { wantedTriggers } from './capture.js';
import { installedFacts, type StandingTrigger } from './capture-facts.js';
import type { Captures, CaptureTrigger } from './capture-triggers.js';

export interface MysqlCaptureState {
  readonly broken: readonly string[];
  readonly seen: Readonly<Record<string, string>>;
}

/** What is as young as this may be made once more in the same second, and nobody could tell. */
const SETTLED_AFTER_SECONDS = 3;

/** The change capture as the dictionary shows it, for a mapping that is known by its digest. */
export async function captureState(
  database: Knex,
  captures: Captures,
  mapping: string,
): Promise<MysqlCaptureState> {
  const facts = await installedFacts(database);
  const { now } = await askOne<{ now: string }>(database, `select date_format(now(), '%Y-%m-%d %T') as now`);
  const captured = Object.keys(captures);
  const wanted = wantedTriggers(captures, facts);
  const tables = new Map(facts.tables.map((each) => [each.table, each]));
  const storage = new Map<string, string>();
  // A partitioned table has several.
  for (const { table, id } of facts.storage ?? []) storage.set(table, `${storage.get(table) ?? ''} ${id}`);
  const seen = captured.map((table) => {
    const own = facts.triggers.filter((trigger) => trigger.table === table);
    const columns = facts.columns.filter((column) => column.table === table);
    const madeAt = storage.get(table) ?? settled(tables.get(table)?.madeAt ?? '', now);
    const described = [
      madeAt,
      ...own.map(({ name, createdAt }) => `${name} ${createdAt}`),
      ...columns.map(({ column, type }) => `${column} ${type}`),
    ];
    return [table, digestOf(described.join('\n'))] as const;
  });
  return {
    broken: [
      ...captured.filter((table) => !tables.has(table)).map((table) => `${table} is missing`),
      ...facts.tables
        .filter(({ table, engine }) => captured.includes(table) && engine !== 'InnoDB')
        .map(
          ({ table, engine }) =>
            `${table} is kept by ${engine}, and only InnoDB shows all tables at one moment`,
        ),
      ...wanted.flatMap((trigger) => brokenIn(trigger, facts.triggers)),
    ],
    seen: { ...Object.fromEntries(seen), mapping },
  };
}

function brokenIn(wanted: CaptureTrigger, triggers: readonly StandingTrigger[]): readonly string[] {
  const standing = triggers.find(({ name, table }) => name === wanted.name && table === wanted.table);
  if (standing?.body === wanted.body) return [];
  return [
    `${wanted.table}: the trigger ${wanted.moment} ${wanted.name} is ${standing ? 'another one' : 'missing'}`,
  ];
}

/** The dictionary tells whole seconds. */
function settled(madeAt: string, now: string): string {
  const age = (Date.parse(`${now}Z`) - Date.parse(`${madeAt}Z`)) / 1_000;
  return age > SETTLED_AFTER_SECONDS ? madeAt : `${madeAt} ${now}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
