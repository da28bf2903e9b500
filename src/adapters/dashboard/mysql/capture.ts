import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import {
  type CaptureFacts,
  createFactsProcedure,
  dropFactsProcedure,
  makeFactsProcedure,
  noteMapping,
  ownFacts,
  type StandingTrigger,
} from './capture-facts.js';
import { type CaptureTrigger, captureTriggers, createStatement } from './capture-triggers.js';
import type { Captures, TableColumn, TableIndex } from './captured-tables.js';
import { forcing } from './cascaded-rows.js';
import { MANAGED_KEYS } from './engine-mapping.js';
import { CREATE_NOTE_FUNCTION, dropNoteFunction, makeNoteFunction, PREFIX } from './note-function.js';
import { name } from './quoted.js';

const PAUSE_MS = 300;
const ATTEMPTS = 3;
const LOCK_NOT_AVAILABLE = 'ER_LOCK_WAIT_TIMEOUT';

/** Each of them is made by itself, since nothing of it can be taken back: whatever was made before stays, and is found again. */
const TABLES = [
  `create table if not exists ${PREFIX}changes (
    id bigint unsigned not null primary key,
    kind varchar(20) character set ascii not null,
    entity_key varchar(1000) character set utf8mb4 collate utf8mb4_bin null,
    at datetime(6) not null,
    key ${PREFIX}changes_by_kind (kind, id)
  ) engine = innodb`,
  `create table if not exists ${PREFIX}acknowledged (
    id bigint unsigned not null primary key,
    kind varchar(20) character set ascii not null,
    entity_key varchar(1000) character set utf8mb4 collate utf8mb4_bin null,
    acknowledged_at datetime(6) not null,
    key ${PREFIX}acknowledged_by_time (acknowledged_at)
  ) engine = innodb`,
  `create table if not exists ${PREFIX}identity (
    only_one tinyint not null primary key,
    identity char(36) character set ascii not null
  ) engine = innodb`,
  `insert ignore into ${PREFIX}identity (only_one, identity) values (1, uuid())`,
];

/** For a dashboard that has no keys of its own. */
const TABLE_OF_KEYS = `create table if not exists ${MANAGED_KEYS} (
    id varchar(64) character set ascii not null primary key,
    organization_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
    name text character set utf8mb4 not null,
    key_hash char(64) character set ascii collate ascii_bin not null unique,
    key_prefix varchar(20) character set ascii not null,
    expires_at datetime(6) null,
    revoked_at datetime(6) null,
    created_at datetime(6) not null default current_timestamp(6),
    key ${MANAGED_KEYS}_by_organization (organization_id)
  ) engine = innodb`;

/** A table of the dashboard that somebody else keeps locked. */
export class TableLocked extends Error {
  override readonly name = 'TableLocked';

  constructor(readonly table: string) {
    super(`Somebody keeps ${table} locked`);
  }
}

/** The triggers that the tables need as they are now. */
export function wantedTriggers(captures: Captures, facts: CaptureFacts): readonly CaptureTrigger[] {
  const columns = new Map<string, TableColumn[]>();
  for (const each of facts.columns) columns.set(each.table, [...(columns.get(each.table) ?? []), each]);
  // An index that was added later is no reason for other triggers.
  const isGoneBy = ({ name: index }: TableIndex) =>
    facts.triggers.some(({ body }) => body.includes(forcing(index))) ? 0 : 1;
  return captureTriggers({
    captures,
    columns: Object.fromEntries(columns),
    foreignKeys: facts.foreignKeys,
    indexes: facts.indexes.toSorted((one, other) => isGoneBy(one) - isGoneBy(other)),
  });
}

export interface Installed {
  readonly triggers: number;
  /** Whether it was installed for another mapping before, or not at all. */
  readonly isOther: boolean;
}

/**
 * For a mapping that is known by its digest. Answers what had to be put in place. New triggers come before the old ones go: in between, a
 * change is noted twice.
 */
export async function installCapture(
  database: Knex,
  captures: Captures,
  mapping: string,
): Promise<Installed> {
  // First, since it is what a server refuses that trusts nobody with functions.
  await makeNoteFunction(database);
  for (const statement of tablesFor(captures)) await database.raw(statement);
  const facts = await ownFacts(database);
  const isWithoutMapping = await makeFactsProcedure(database, facts.procedure);
  const wanted = wantedTriggers(captures, facts);
  const isWanted = (standing: StandingTrigger) =>
    wanted.some(
      ({ name: trigger, table, body }) =>
        trigger === standing.name && table === standing.table && body === standing.body,
    );
  const standing = new Set(facts.triggers.filter(isWanted).map(({ name: trigger }) => trigger));
  const missing = wanted.filter((trigger) => !standing.has(trigger.name));
  const idle = facts.triggers.filter((trigger) => !standing.has(trigger.name));
  // One that was changed by hand, or went with its table to another name.
  const inTheWay = idle.filter((trigger) => missing.some((each) => each.name === trigger.name));
  for (const { name: trigger, table } of inTheWay) await dropTrigger(database, trigger, table);
  for (const trigger of missing) {
    await insist(trigger.table, () => database.raw(createStatement(trigger)));
  }
  for (const { name: trigger, table } of idle.filter((each) => !inTheWay.includes(each))) {
    await dropTrigger(database, trigger, table);
  }
  const triggers = missing.length + idle.length - inTheWay.length;
  const isOther = facts.mapping !== mapping;
  if (triggers > 0 || isOther) {
    await database.raw(
      `insert into ${PREFIX}changes (id, kind, entity_key, at) values (uuid_short(), 'everything', null, now(6))`,
    );
  }
  // Last: a run that was killed before is gone on with by the next one.
  if (isOther || isWithoutMapping) await noteMapping(database, mapping);
  return { triggers, isOther };
}

function tablesFor(captures: Captures): readonly string[] {
  return MANAGED_KEYS in captures ? [...TABLES, TABLE_OF_KEYS] : TABLES;
}

/** What a run would create: as SQL. */
export async function explainCapture(database: Knex, captures: Captures): Promise<readonly string[]> {
  const facts = withTableOfKeys(await ownFacts(database));
  return [
    ...tablesFor(captures),
    createFactsProcedure(facts.procedure),
    CREATE_NOTE_FUNCTION,
    ...wantedTriggers(captures, facts).map(createStatement),
  ];
}

/** It is made before its triggers, which read nothing of it but the id. */
function withTableOfKeys<Facts extends CaptureFacts>(facts: Facts): Facts {
  if (facts.columns.some(({ table }) => table === MANAGED_KEYS)) return facts;
  return {
    ...facts,
    columns: [...facts.columns, { table: MANAGED_KEYS, column: 'id', type: 'varchar(64)' }],
  };
}

/**
 * The triggers first: without its tables, one would keep the dashboard from writing. The keys stay: nobody could make them once more.
 */
export async function removeCapture(database: Knex): Promise<void> {
  const { triggers } = await ownFacts(database);
  for (const { name: trigger, table } of triggers) await dropTrigger(database, trigger, table);
  await dropNoteFunction(database);
  await dropFactsProcedure(database);
  for (const table of ['changes', 'acknowledged', 'identity']) {
    await insist(`${PREFIX}${table}`, () => database.raw(`drop table if exists ${PREFIX}${table}`));
  }
}

async function dropTrigger(database: Knex, trigger: string, table: string): Promise<void> {
  await insist(table, () => database.raw(`drop trigger if exists ${name(trigger)}`));
}

/** Whoever writes waits behind the lock that is asked for: not for longer than the session waits for it, and then they go first. */
async function insist<Result>(table: string, attempt: () => PromiseLike<Result>): Promise<Result> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (n === ATTEMPTS) throw new TableLocked(table);
    }
    await pause(PAUSE_MS);
  }
}
