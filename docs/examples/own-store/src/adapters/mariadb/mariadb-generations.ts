import type { GenerationHistory, Generations, RaisedGeneration } from 'blog-content-read-api/ports';
import type { Session } from './database.js';

/** Microseconds since 1970. */
export const NOW = `timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))`;

export class MariadbGenerations implements Generations, GenerationHistory {
  constructor(private readonly database: Session) {}

  async current(organizationId: string): Promise<number> {
    const [row] = await this.database.query<{ generation: number }>(
      'select generation from organizations where organization_id = :organizationId',
      { organizationId },
    );
    return row?.generation ?? 0;
  }

  above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    return this.database.query(
      `select organization_id as organizationId, generation from organizations where generation > :generation
       order by generation fetch first :limit rows with ties`,
      { generation, limit },
    );
  }

  async newest(): Promise<number> {
    const [row] = await this.database.query<{ newest: number }>(
      'select coalesce(max(generation), 0) as newest from organizations',
    );
    return Number(row?.newest);
  }
}
