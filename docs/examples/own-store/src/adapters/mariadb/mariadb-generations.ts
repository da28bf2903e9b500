import type {
  GenerationQuestion,
  GenerationReading,
  Generations,
  RaisedGeneration,
} from 'blog-content-read-api/ports';
import type { Session } from './database.js';

/** Microseconds since 1970. */
export const NOW = `timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))`;

interface Row {
  /** Null: the row says which server answers, and has the highest generation. */
  readonly organizationId: string | null;
  readonly generation: number;
  readonly isRaised: number;
  readonly server: string | null;
}

/** One statement, so that all is from one snapshot. A server that has restarted began at another time. */
const READ = `
  select null as organizationId, coalesce(max(generation), 0) as generation, 0 as isRaised,
    concat_ws(' ', @@hostname, @@port, (select round(unix_timestamp(now(6)) - variable_value, -1)
      from information_schema.global_status where variable_name = 'UPTIME')) as server
  from organizations
  union all
  (select organization_id, generation, 1, null from organizations where generation > :above
   order by generation limit :limit)
  union all
  select organization_id, generation, 0, null from organizations where organization_id in (:ids)`;

export class MariadbGenerations implements Generations {
  constructor(private readonly database: Session) {}

  async read({ above, limit, organizationIds }: GenerationQuestion): Promise<GenerationReading> {
    // A list may not be empty.
    const ids = organizationIds.length === 0 ? [null] : organizationIds;
    const rows = await this.database.query<Row>(READ, { above, limit, ids });
    const raised: RaisedGeneration[] = [];
    const current = new Map<string, number>();
    let [server, newest] = ['', 0];
    for (const { organizationId, generation, isRaised, ...row } of rows) {
      if (organizationId === null) [server, newest] = [row.server ?? '', generation];
      else if (isRaised) raised.push({ organizationId, generation });
      else current.set(organizationId, generation);
    }
    return { server, newest, raised, current };
  }
}
