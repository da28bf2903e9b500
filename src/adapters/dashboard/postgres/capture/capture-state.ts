import type { Knex } from 'knex';
import type { CaptureLook } from '../../../../domain/model/capture.js';
import { shortHash } from '../../mapping/dashboard-mapping.js';
import { shownTable } from '../read/quoted.js';
import {
  type CapturedMapping,
  capturedRelations,
  installedComment,
  type RelationState,
} from './captured-tables.js';
import type { GeneratedFunction } from './generated-function.js';

const FUNCTIONS = `
  select proname as name, prosrc as body, prosecdef as "runsAsOwner", concat_ws(' ', pg_proc.oid, pg_proc.xmin) as seen
  from pg_proc where pronamespace = to_regnamespace('content_sync') and proname = any(:names::text[])`;

interface FunctionState {
  readonly name: string;
  readonly body: string;
  readonly runsAsOwner: boolean;
  readonly seen: string;
}

export async function functionsOf(
  database: Knex,
  functions: readonly GeneratedFunction[],
): Promise<readonly FunctionState[]> {
  const { rows } = await database.raw(FUNCTIONS, { names: functions.map(({ name }) => name) });
  return rows;
}

export async function installedFor(database: Knex): Promise<string | null> {
  const { rows }: { rows: [{ comment: string | null }] } = await database.raw(
    `select obj_description(to_regnamespace('content_sync'), 'pg_namespace') as comment`,
  );
  return rows[0].comment;
}

/** Read from the catalogue, because the worker's role may see no more. */
export async function captureState(database: Knex, captured: CapturedMapping): Promise<CaptureLook> {
  const relations = await capturedRelations(database, captured);
  const { functions } = captured;
  const definitions = await functionsOf(database, functions);
  const capturedIndexes = new Set(relations.map(({ captured: index }) => index));
  const missing = captured.tables.filter((_, index) => !capturedIndexes.has(index));
  const isAsExpected = (await installedFor(database)) === installedComment(captured.digest);
  return {
    broken: [
      ...missing.map((table) => `${shownTable(table)} is missing`),
      ...relations.flatMap(brokenIn),
      ...functions.flatMap(({ name, body, table }) =>
        definitions.some((one) => one.name === name && one.body === body && one.runsAsOwner)
          ? []
          : [
              `the function that captures ${shownTable(table)} is not the function of this version and mapping`,
            ],
      ),
      ...(isAsExpected ? [] : ['it was installed for another mapping than that of DASHBOARD_MAPPING']),
    ],
    seen: Object.fromEntries([
      ...relations.map(({ relation, seen }) => [relation, seen]),
      [
        'functions',
        shortHash(
          definitions
            .map(({ name, seen }) => `${name} ${seen}`)
            .sort()
            .join(),
        ),
      ],
      ['mapping', captured.digest],
    ]),
  };
}

function brokenIn({ relation, isForeign, isSubscribed, triggers }: RelationState): readonly string[] {
  if (isForeign) return [`${relation} is a foreign table, whose changes cannot be captured`];
  return [
    ...triggers.map(({ name, wrong }) => `${relation}.${name} is ${wrong}`),
    ...(isSubscribed
      ? [`${relation} is filled by a subscription, which does not fire statement triggers`]
      : []),
  ];
}
