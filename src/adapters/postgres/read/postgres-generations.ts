import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../../domain/model/read-model.js';
import type {
  GenerationQuestion,
  GenerationReading,
  Generations,
} from '../../../domain/ports/reading/generations.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

interface Row {
  /** Null: a row about the server, with the highest generation. */
  readonly organization_id: string | null;
  readonly generation: string;
  readonly is_raised: boolean;
  readonly server: string;
  readonly is_standby: boolean;
  /** Null: no worker has ever led. */
  readonly sync_age_ms: number | null;
}

const READ = `
  select null as organization_id, coalesce(max(generation), 0) as generation, false as is_raised,
    pg_postmaster_start_time()::text as server, pg_is_in_recovery() as is_standby,
    (select extract(epoch from clock_timestamp() - beat_at)::float8 * 1000 from content_read.sync_leader) as sync_age_ms
  from content_read.organizations
  union all
  (select organization_id, generation, true, null, null, null from content_read.organizations
   where generation > ? order by generation limit ?)
  union all
  select organization_id, generation, false, null, null, null from content_read.organizations
  where organization_id = any(?::text[])`;

export class PostgresGenerations implements Generations {
  constructor(private readonly database: Knex) {}

  async read({ above, limit, organizationIds }: GenerationQuestion): Promise<GenerationReading> {
    const { rows }: { rows: Row[] } = await this.database
      .raw(READ, [above, limit, [...organizationIds]])
      .timeout(QUERY_TIMEOUT_MS);
    const raised: RaisedGeneration[] = [];
    const current = new Map<string, number>();
    let server: Omit<GenerationReading, 'raised' | 'current'> | null = null;
    for (const row of rows) {
      const [organizationId, generation] = [row.organization_id, Number(row.generation)];
      if (organizationId === null) server = serverOf(row);
      else if (row.is_raised) raised.push({ organizationId, generation });
      else current.set(organizationId, generation);
    }
    if (server === null) throw new Error('A statement that reads generations says nothing of its server');
    return { ...server, raised, current };
  }
}

function serverOf({ server, generation, is_standby, sync_age_ms }: Row) {
  const syncAgeMs = sync_age_ms ?? Number.POSITIVE_INFINITY;
  return { server, newest: Number(generation), isStandby: is_standby, syncAgeMs };
}
