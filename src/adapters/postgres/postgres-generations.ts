import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../domain/model/raised-generation.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Generations } from '../../domain/ports/generations.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

interface Question {
  readonly organizationIds: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, number>>;
}

export class PostgresGenerations implements Generations, GenerationHistory {
  #nextQuestion: Question | null = null;

  constructor(private readonly database: Knex) {}

  /** What is asked in one turn of the event loop is one query: without Redis, every request asks. */
  async current(organizationId: string): Promise<number> {
    this.#nextQuestion ??= this.#prepareQuestion();
    const { organizationIds, answer } = this.#nextQuestion;
    organizationIds.add(organizationId);
    return (await answer).get(organizationId) ?? 0;
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

  #prepareQuestion(): Question {
    const organizationIds = new Set<string>();
    const answer = nextTurn().then(() => {
      this.#nextQuestion = null;
      return this.#of([...organizationIds]);
    });
    return { organizationIds, answer };
  }

  async #of(organizationIds: string[]): Promise<ReadonlyMap<string, number>> {
    const { rows }: { rows: { organization_id: string; generation: string }[] } = await this.database
      .raw(
        'select organization_id, generation from content_read.organizations where organization_id = any(?::text[])',
        [organizationIds],
      )
      .timeout(QUERY_TIMEOUT_MS);
    return new Map(rows.map((row) => [row.organization_id, Number(row.generation)]));
  }
}
