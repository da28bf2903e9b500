import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../../domain/model/read-model.js';
import type { GenerationHistory } from '../../../domain/ports/reading/generation-history.js';
import type { Generations } from '../../../domain/ports/reading/generations.js';
import { BatchedQuery } from '../connection/batched-query.js';
import { QUERY_TIMEOUT_MS } from '../connection/read-database.js';

interface GenerationRow {
  readonly organization_id: string;
  readonly generation: string;
}

export class PostgresGenerations implements Generations, GenerationHistory {
  /** While no poll succeeds, every request needs the generation, so the queries are batched. */
  readonly #current = new BatchedQuery((organizationIds) => this.#of(organizationIds));

  constructor(private readonly database: Knex) {}

  async current(organizationId: string): Promise<number> {
    return (await this.#current.get(organizationId)) ?? 0;
  }

  async above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    const { rows }: { rows: GenerationRow[] } = await this.database
      .raw(
        `select organization_id, generation from content_read.organizations where generation > ?
         order by generation fetch first ? rows with ties`,
        [generation, limit],
      )
      .timeout(QUERY_TIMEOUT_MS);
    return rows.map((row) => ({ organizationId: row.organization_id, generation: Number(row.generation) }));
  }

  async newest(): Promise<number> {
    const { rows }: { rows: { newest: string }[] } = await this.database
      .raw('select coalesce(max(generation), 0) as newest from content_read.organizations')
      .timeout(QUERY_TIMEOUT_MS);
    return Number(rows[0]?.newest);
  }

  async #of(organizationIds: string[]): Promise<ReadonlyMap<string, number>> {
    const { rows }: { rows: GenerationRow[] } = await this.database
      .raw(
        'select organization_id, generation from content_read.organizations where organization_id = any(?::text[])',
        [organizationIds],
      )
      .timeout(QUERY_TIMEOUT_MS);
    return new Map(rows.map((row) => [row.organization_id, Number(row.generation)]));
  }
}
