import type { Knex } from 'knex';
import type { RaisedGeneration } from '../../../domain/model/read-model.js';
import type { GenerationHistory } from '../../../domain/ports/reading/generation-history.js';
import type { Generations } from '../../../domain/ports/reading/generations.js';
import { PostgresGenerations } from '../read/postgres-generations.js';
import type { Replica } from './replica.js';

/** The generations on a replica, as far as it has replayed them. */
export class ReplicaGenerations implements Generations, GenerationHistory {
  /** One for all calls, because it batches them. */
  #table: PostgresGenerations | null = null;

  constructor(private readonly replica: Replica) {}

  current(organizationId: string): Promise<number> {
    return this.#read((table) => table.current(organizationId));
  }

  above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    return this.#read((table) => table.above(generation, limit));
  }

  newest(): Promise<number> {
    return this.#read((table) => table.newest());
  }

  async #read<Result>(ask: (table: PostgresGenerations) => Promise<Result>): Promise<Result> {
    const { name, exclusion } = this.replica.reading;
    if (exclusion !== null) throw new Error(`The replica ${name} is not used: ${exclusion}`);
    return this.replica.read((database: Knex) => {
      this.#table ??= new PostgresGenerations(database);
      return ask(this.#table);
    });
  }
}
