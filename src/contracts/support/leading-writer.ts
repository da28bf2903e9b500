import type { Scope } from '../../domain/model/job.js';
import type { ReadModelChange, ReadModelSlice, RowKind, RowTypes } from '../../domain/model/read-model.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';

interface Replacement<Kind extends RowKind> {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly rows: readonly RowTypes[Kind][];
}

/** A writer with its own leadership, which it claims at first use. */
export class LeadingWriter {
  #epoch: Promise<number | null> | null = null;

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly leadership: Leadership,
  ) {}

  async epoch(): Promise<number> {
    this.#epoch ??= this.leadership.claim(null);
    const epoch = await this.#epoch;
    if (epoch === null) throw new Error('Another writer leads');
    return epoch;
  }

  /** Replaces rows of one kind, as a step does. */
  async replace<Kind extends RowKind>(replacement: Replacement<Kind>): Promise<ReadModelChange> {
    const slice = { ...replacement, unshown: [] } as unknown as ReadModelSlice;
    return this.writer.write(await this.epoch(), { slices: [slice], jobs: [] });
  }

  keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]> {
    return this.writer.keys(kind, scope, after, limit);
  }
}
