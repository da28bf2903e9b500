import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../domain/model/raised-generation.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Generations } from '../../domain/ports/generations.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

/** Longer than a healthy database takes, and nothing beside what a sick one may cost. */
const LONGEST_WAIT_MS = 5;

interface Question {
  readonly organizationIds: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, number>>;
}

export class PostgresGenerations implements Generations, GenerationHistory {
  #nextQuestion: Question | null = null;
  #underway: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Knex) {}

  /** Without Redis every request asks: what comes in one turn of the event loop, or while a query is under way, is the next query. */
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
    const ask = async () => {
      await nextTurn();
      await Promise.race([this.#underway, pause(LONGEST_WAIT_MS)]);
      this.#nextQuestion = null;
      const answer = this.#of([...organizationIds]);
      this.#underway = answer.catch(() => {});
      return answer;
    };
    return { organizationIds, answer: ask() };
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
