import type { Knex } from 'knex';
import type { CaptureLook } from '../../../../domain/model/capture.js';
import { type DashboardMapping, shortHash } from '../../mapping/dashboard-mapping.js';
import { shownTable, tableName } from '../read/quoted.js';
import { type CapturedRelation, capturedRelations, installedFunctions } from './capture-facts.js';
import { type CaptureTrigger, captureFunctionOf, captureTriggers } from './capture-triggers.js';

/** Read from the catalogue, because the worker's role may see no more. */
export async function captureState(database: Knex, mapping: DashboardMapping): Promise<CaptureLook> {
  const relations = await capturedRelations(database, mapping);
  const { installed, missing } = await installedFunctions(database, mapping);
  return {
    broken: [
      ...mapping.captures
        .filter((_, index) => !relations.some(({ captured }) => captured === index))
        .map(({ table }) => `${shownTable(tableName(table))} is missing`),
      ...relations.flatMap((relation) => brokenIn(relation, mapping)),
      ...missing.map(
        ({ table }) =>
          `the function that captures ${shownTable(table)} is not the function of this version and mapping`,
      ),
    ],
    seen: {
      ...Object.fromEntries(relations.map(({ relation, seen }) => [relation, seen])),
      functions: shortHash(
        installed
          .map(({ name, seen }) => `${name} ${seen}`)
          .sort()
          .join(),
      ),
    },
  };
}

function brokenIn(relation: CapturedRelation, mapping: DashboardMapping): readonly string[] {
  const { relation: name, isForeign, isSubscribed } = relation;
  if (isForeign) return [`${name} is a foreign table, whose changes cannot be captured`];
  return [
    ...brokenTriggers(relation, mapping).map((trigger) => `${name}.${trigger.name} is ${trigger.problem}`),
    ...(isSubscribed ? [`${name} is filled by a subscription, which does not fire statement triggers`] : []),
  ];
}

/** `ALWAYS`, because replication tools and restores switch off the others. */
const NOT_ALWAYS: Readonly<Record<string, string>> = {
  D: 'disabled',
  O: 'not enabled for replication tools',
  R: 'enabled for replication tools only',
};

/** The triggers of a table that are not as they should be, and what is wrong with them. */
export function brokenTriggers(
  { captured, quoted, triggers }: CapturedRelation,
  { captures }: DashboardMapping,
): readonly (CaptureTrigger & { readonly problem: string })[] {
  const table = captures[captured];
  const called = table === undefined ? null : captureFunctionOf(table);
  const wanted = called === null ? [] : captureTriggers(quoted, called);
  return wanted.flatMap((trigger) => {
    const installed = triggers.find(({ name }) => name === trigger.name);
    const isOther = installed?.definition !== `CREATE ${trigger.definition}`;
    const problem =
      installed === undefined
        ? 'missing'
        : (NOT_ALWAYS[installed.enabled] ?? (isOther ? 'not the trigger of this version' : null));
    return problem === null ? [] : [{ ...trigger, problem }];
  });
}
