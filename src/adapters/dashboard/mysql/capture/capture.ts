import type { Knex } from 'knex';
import { means } from '../../../sql/mysql/fault-of.js';
import { type DashboardMapping, digestOf } from '../../mapping/dashboard-mapping.js';
import type { Installed } from '../../source/engine.js';
import { retryWhileLocked } from '../../source/table-locked.js';
import { quoted } from '../read/quoted.js';
import { WORDS } from '../words.js';
import { createFactsProcedure, existingTables, FACTS_PROCEDURE, ownFacts } from './capture-facts.js';
import { captureTriggers, isSame } from './capture-triggers.js';
import { CREATE_NOTE_FUNCTION, DROP_NOTE_FUNCTION, isNoteFunction, PREFIX } from './note-function.js';

/** One by one, because DDL cannot be rolled back: the next run finds what exists. */
const TABLES = [
  `create table if not exists ${PREFIX}changes (
    id bigint unsigned not null primary key,
    kind varchar(20) character set ascii not null,
    entity_key varchar(1000) character set utf8mb4 collate utf8mb4_bin null,
    at datetime(6) not null,
    key ${PREFIX}changes_by_kind (kind, id)
  ) engine = innodb`,
  `create table if not exists ${PREFIX}identity (
    only_one tinyint not null primary key,
    identity char(36) character set ascii not null
  ) engine = innodb`,
  `insert ignore into ${PREFIX}identity (only_one, identity) values (1, uuid())`,
];

/** Returns what was missing. New triggers come before old ones go: no change is missed. */
export async function installCapture(database: Knex, mapping: DashboardMapping): Promise<Installed> {
  const digest = digestOf(mapping);
  const { noteFunction } = await ownFacts(database);
  const isFunctionNew = !isNoteFunction(noteFunction);
  // First, because this is what a server refuses that restricts the creation of functions.
  if (isFunctionNew)
    for (const statement of [DROP_NOTE_FUNCTION, CREATE_NOTE_FUNCTION]) await database.raw(statement);
  const [queue] = await existingTables(database, [`${PREFIX}changes`]);
  for (const statement of TABLES) await database.raw(statement);
  const facts = await ownFacts(database);
  const isProcedureNew = facts.installedProcedure !== facts.procedure;
  // An installed one is kept, with the worker's right to call it.
  if (isProcedureNew) {
    await database.raw(`drop procedure if exists ${FACTS_PROCEDURE}`);
    await database.raw(createFactsProcedure(facts.procedure));
  }
  const wanted = captureTriggers(mapping, facts);
  const missing = wanted.filter((trigger) => !facts.triggers.some((existing) => isSame(trigger, existing)));
  const idle = facts.triggers.filter((existing) => !wanted.some((trigger) => isSame(trigger, existing)));
  // A trigger that was edited by hand, or that moved with its table to another name.
  const inTheWay = idle.filter((trigger) => missing.some((candidate) => candidate.name === trigger.name));
  for (const { name: trigger, table } of inTheWay) await dropTrigger(database, trigger, table);
  for (const trigger of missing) {
    await runWhenFree(database, trigger.table, trigger.statement);
  }
  for (const { name: trigger, table } of idle.filter((candidate) => !inTheWay.includes(candidate))) {
    await dropTrigger(database, trigger, table);
  }
  const triggers = missing.length + idle.length - inTheWay.length;
  const isOther = facts.mapping !== digest || isProcedureNew;
  // Without the function or the queue, the triggers noted nothing.
  if (triggers > 0 || isOther || isFunctionNew || queue === undefined) {
    await database.raw(
      `insert into ${PREFIX}changes (id, kind, entity_key, at) values (uuid_short(), 'everything', null, now(6))`,
    );
  }
  // Last, so that the next run continues after a run that was killed.
  if (isOther) await noteMapping(database, digest);
  return { triggers, hasOthers: isOther };
}

/** The SQL of what a run would create. */
export async function explainCapture(database: Knex, mapping: DashboardMapping): Promise<readonly string[]> {
  const facts = await ownFacts(database);
  // The table of managed keys is created before its triggers, which read only its id.
  const columns = [...facts.columns, { table: WORDS.managedKeys, column: 'id', type: 'varchar(64)' }];
  return [
    ...TABLES,
    createFactsProcedure(facts.procedure),
    CREATE_NOTE_FUNCTION,
    ...captureTriggers(mapping, { ...facts, columns }).map(({ statement }) => statement),
  ];
}

/**
 * Keeps what a later capture needs: keys, and what lets the worker recognize and read the database.
 */
export async function removeCapture(database: Knex): Promise<void> {
  const { triggers, mapping } = await ownFacts(database);
  for (const { name: trigger, table } of triggers) await dropTrigger(database, trigger, table);
  await database.raw(DROP_NOTE_FUNCTION);
  if (mapping !== undefined) await noteMapping(database, '');
  await runWhenFree(database, `${PREFIX}changes`, `drop table if exists ${PREFIX}changes`);
}

function dropTrigger(database: Knex, trigger: string, table: string): Promise<void> {
  return runWhenFree(database, table, `drop trigger if exists ${quoted(trigger)}`);
}

function runWhenFree(database: Knex, table: string, statement: string): Promise<void> {
  return retryWhileLocked(
    table,
    (error) => means(error, 'locked'),
    () => database.raw(statement),
  );
}

/** The digest is the procedure's comment: no trigger calls it, and the worker reads through it. */
async function noteMapping(database: Knex, digest: string): Promise<void> {
  await database.raw(`alter procedure ${FACTS_PROCEDURE} comment '${digest}'`);
}
