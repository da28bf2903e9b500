import type { Knex } from 'knex';
import type { CapturedMapping } from './captured-mapping.js';
import { capturedRelations, wantedFunctions } from './captured-relations.js';
import { quoted, quotedTable } from './table-name.js';

/** The SQL of what the change capture would create or replace, and of the rights that the worker's role needs. */
export async function explainedCapture(
  database: Knex,
  captured: CapturedMapping,
): Promise<readonly string[]> {
  const relations = await capturedRelations(database, captured);
  const schemas = [...new Set(captured.tables.map(({ schema }) => schema))];
  return [
    ...(await wantedFunctions(database, captured)).map(({ statement }) => `${statement};`),
    ...relations.flatMap(({ triggers, quoted: table }) =>
      triggers.flatMap(({ name, definition }) => [
        `create or replace ${definition};`,
        `alter table ${table} enable always trigger ${name};`,
      ]),
    ),
    "-- What the sync worker's role needs:",
    `grant usage on schema ${[...schemas, 'content_sync'].map(quoted).join(', ')} to …;`,
    `grant select on ${captured.tables.map(quotedTable).join(', ')} to …;`,
    'grant select, delete on content_sync.change_queue to …;',
    'grant execute on function content_sync.acknowledge(bigint[]), content_sync.replay_acknowledged(interval) to …;',
  ];
}
