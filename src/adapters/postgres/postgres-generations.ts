import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../domain/model/raised-generation.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Generations } from '../../domain/ports/generations.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

export class PostgresGenerations implements Generations, GenerationHistory {
  constructor(private readonly database: Knex) {}

  async current(organizationId: string): Promise<number> {
    const row = await this.database
      .withSchema('content_read')
      .from('organizations')
      .where('organization_id', organizationId)
      .first('generation')
      .timeout(QUERY_TIMEOUT_MS);
    return Number(row?.generation ?? 0);
  }

  async above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    const { rows }: { rows: { organization_id: string; generation: string }[] } = await this.database
      .raw(
        `select organization_id, generation from content_read.organizations where generation > ?
         order by generation fetch first ? rows with ties`,
        [generation, limit],
      )
      .timeout(QUERY_TIMEOUT_MS);
    return rows.map((row) => ({ organizationId: row.organization_id, generation: Number(row.generation) }));
  }
}
