import type { JobProgress, WalkedScope } from '../model/job.js';
import type { RowKind } from '../model/read-model.js';
import type { ContentSource } from '../ports/content-source.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { ReadAhead } from './read-ahead.js';
import type { UpdateReadModel } from './update-read-model.js';
import {
  type Digested,
  isOnlyCompared,
  readDiffering,
  stretchAfter,
  type Walked,
  walkSource,
} from './walk-source.js';

/** Walks the source step by step. The next rows are read while the previous ones are compared or written. */
export class SourceWalk {
  readonly #ahead: ReadAhead<Walked | Digested>;
  /** More rows differ than one step reads whole, so the next position is known only after all are compared. */
  #differMuch = false;

  constructor(
    private readonly writer: ReadModelWriter,
    update: UpdateReadModel,
  ) {
    this.#ahead = new ReadAhead(update, isOnlyCompared);
  }

  async next(
    id: number,
    scope: WalkedScope,
    kind: RowKind,
    source: ContentSource,
    progress: JobProgress,
    size: number,
  ): Promise<Walked> {
    const walk = async (after: string | null) =>
      walkSource(source, scope, kind, after, await stretchAfter(this.writer, scope, kind, after, size));
    const readAhead = async (after: string | null, hasRows: boolean) => {
      // If the source is a single snapshot, the next rows come from a later one.
      if (after === null || scope.of === 'check') return;
      // Queried now, because the read model is busy while rows are compared or written.
      const stretch = await stretchAfter(this.writer, scope, kind, after, size);
      const rows = walkSource(source, scope, kind, after, stretch);
      this.#ahead.begin(placeOf(id, { ...progress, after }, size), kind, rows, hasRows);
    };
    const next = (await this.#ahead.take(placeOf(id, progress, size))) ?? (await walk(progress.after));
    if (!isOnlyCompared(next)) {
      await readAhead(next.last, next.slice !== null);
      return next;
    }
    const end = next.digested.ids.at(-1) ?? null;
    if (!this.#differMuch) await readAhead(end, false);
    const walked = await readDiffering(next, source, this.writer, size);
    this.#differMuch = walked.last !== end;
    if (this.#differMuch) await readAhead(walked.last, walked.slice !== null);
    return walked;
  }
}

function placeOf(id: number, { stage, after }: JobProgress, size: number): string {
  return JSON.stringify([id, stage, after, size]);
}
