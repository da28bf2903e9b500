import type { Knex } from 'knex';
import type { Recount, RepairedTotals } from '../../domain/model/read-model.js';
import { updateJobs } from './update-jobs.js';

interface Recounted {
  readonly repaired: readonly RepairedTotals[];
  /** Generations that were reached, and that the read tables have lost. */
  readonly lost: ReadonlyMap<string, number>;
}

interface Counted {
  readonly organization: string;
  readonly wrong: string;
  readonly is_over: boolean;
}

/** See 0013_totals_counted_in_stretches.sql and 0020_totals_of_several_organizations.sql. */
export async function recountLists(
  transaction: Knex.Transaction,
  { organizations, stretchSize }: Recount,
): Promise<Recounted> {
  const ids = organizations.map(({ organizationId }) => organizationId);
  const { rows }: { rows: readonly Counted[] } = await transaction.raw(
    'select organization, wrong, is_over from content_read.recount_several(:ids::text[], :stretchSize)',
    { ids, stretchSize },
  );
  const repaired = rows
    .map(({ organization, wrong }) => ({ organizationId: organization, totals: Number(wrong) }))
    .filter(({ totals }) => totals > 0);
  const over = organizations.slice(0, rows.filter((row) => row.is_over).length);
  const last = over.at(-1);
  if (last !== undefined) await updateJobs(transaction, [last.whenCounted], 0);
  const known = await knownGenerations(transaction, over);
  const lost = over.filter(
    ({ organizationId, shownGeneration }) => (known.get(organizationId) ?? 0) < shownGeneration,
  );
  return {
    repaired,
    lost: new Map(lost.map(({ organizationId, shownGeneration }) => [organizationId, shownGeneration])),
  };
}

async function knownGenerations(
  transaction: Knex.Transaction,
  organizations: Recount['organizations'],
): Promise<ReadonlyMap<string, number>> {
  const rows: readonly { organization_id: string; generation: string }[] = await transaction
    .withSchema('content_read')
    .from('organizations')
    .whereIn(
      'organization_id',
      organizations.map(({ organizationId }) => organizationId),
    )
    .select('organization_id', 'generation');
  return new Map(rows.map((row) => [row.organization_id, Number(row.generation)]));
}
