import type { Knex } from 'knex';
import { MemoryLeadership } from '../../src/adapters/memory/memory-leadership.js';
import { MemoryReadModel } from '../../src/adapters/memory/memory-read-model.js';
import { PostgresLeadership } from '../../src/adapters/postgres/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/postgres-read-model-writer.js';
import type { AnySlice, ReadModelChange, RowKind, RowTypes } from '../../src/domain/model/read-model.js';
import type { Leadership } from '../../src/domain/ports/leadership.js';
import type { ReadModelWriter } from '../../src/domain/ports/read-model-writer.js';

const FROZEN_AFTER_MS = 10_000;

interface Replacement<Kind extends RowKind> {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly rows: readonly RowTypes[Kind][];
}

/** A writer under a lead of its own, which it claims when it is first needed. */
export class LeadingWriter {
  #epoch: Promise<number | null> | null = null;

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly leadership: Leadership,
  ) {}

  async epoch(): Promise<number> {
    this.#epoch ??= this.leadership.claim();
    const epoch = await this.#epoch;
    if (epoch === null) throw new Error('Another writer leads');
    return epoch;
  }

  /** What a step does to rows of one kind. */
  async replace<Kind extends RowKind>(replacement: Replacement<Kind>): Promise<ReadModelChange> {
    const slice = { ...replacement, refused: [] } as unknown as AnySlice;
    return this.writer.write(await this.epoch(), { slices: [slice], work: [] });
  }

  keys(kind: RowKind, after: string | null, limit: number): Promise<readonly string[]> {
    return this.writer.keys(kind, after, limit);
  }
}

const writers = new WeakMap<object, LeadingWriter>();

/** The one writer of a read model: of a process's memory, or of a database with one connection. */
export function leadingWriter(readModel: MemoryReadModel | Knex): LeadingWriter {
  const known = writers.get(readModel);
  if (known !== undefined) return known;
  const made =
    readModel instanceof MemoryReadModel
      ? new LeadingWriter(readModel, new MemoryLeadership(readModel.lead, FROZEN_AFTER_MS))
      : new LeadingWriter(
          new PostgresReadModelWriter(readModel),
          new PostgresLeadership(readModel, 'test', FROZEN_AFTER_MS),
        );
  writers.set(readModel, made);
  return made;
}
