import type { RaisedGeneration } from 'blog-content-read-api/ports';
import type { Session } from './database.js';
import { NOW } from './mariadb-generations.js';

/**
 * Raises each generation above those of all organizations, and not below the clock. So no number is used
 * twice, not even in recreated tables, and processes that follow them miss none.
 */
export async function raiseGenerations(
  session: Session,
  organizationIds: ReadonlySet<string>,
): Promise<readonly RaisedGeneration[]> {
  const ids = [...organizationIds];
  if (ids.length === 0) return [];
  await session.execute(
    `insert into organizations (organization_id, generation) values :rows
     on duplicate key update generation = generation`,
    { rows: ids.map((id) => [id, 0]) },
  );
  await session.execute(
    `update organizations, (select max(generation) as newest from organizations) as present
     set generation = greatest(newest + 1, ${NOW}) where organization_id in (:ids)`,
    { ids },
  );
  return session.query(
    'select organization_id as organizationId, generation from organizations where organization_id in (:ids)',
    { ids },
  );
}
