import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Generations } from '../../domain/ports/generations.js';
import { BatchedQuery } from './batched-query.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

interface GenerationRow {
  readonly organization_id: string;
  readonly generation: string;
}

export class PostgresGenerations implements Generations, GenerationHistory {
  /** Without Redis, every request needs the generation, so the queries are batched. */
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

  async now(): Promise<number> {
    const { rows }: { rows: { now: string }[] } = await this.database
      .raw('select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now')
      .timeout(QUERY_TIMEOUT_MS);
    return Number(rows[0]?.now);
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
