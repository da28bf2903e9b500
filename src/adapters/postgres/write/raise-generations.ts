import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../../domain/model/read-model.js';

/** Above all organizations, as those who poll the generations expect. */
const RAISE = `
  insert into content_read.organizations (organization_id, generation)
  select organization_id, greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, above + 1,
    (select max(generation) + 1 from content_read.organizations))
  from unnest(:ids::text[], :above::bigint[]) as asked (organization_id, above)
  on conflict (organization_id) do update
  set generation = excluded.generation
  returning organization_id as "organizationId", generation`;

/** Raises each generation, to a value above its one in `above` if it has one there. */
export async function raiseGenerations(
  transaction: Knex.Transaction,
  organizationIds: readonly string[],
  above: ReadonlyMap<string, number>,
): Promise<readonly RaisedGeneration[]> {
  const ids = [...new Set(organizationIds)];
  if (ids.length === 0) return [];
  const raised: { rows: { organizationId: string; generation: string }[] } = await transaction.raw(RAISE, {
    ids,
    above: ids.map((id) => above.get(id) ?? 0),
  });
  return raised.rows.map(({ organizationId, generation }) => ({
    organizationId,
    generation: Number(generation),
  }));
}
