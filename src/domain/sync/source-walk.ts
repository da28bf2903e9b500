import type { RowKind } from '../model/read-model.js';
import type { JobProgress, WalkedScope } from '../model/sync-work.js';
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

/** A walk over the source, piece by piece: the next rows are read while those before are compared or written. */
export class SourceWalk {
  readonly #ahead: ReadAhead<Walked | Digested>;
  /** More than are read whole at once: what follows is not known before all are compared. */
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
      // Of a source that shows one moment, the next rows come from a later one.
      if (after === null || scope.of === 'check') return;
      // Asked now: once rows are compared or written, the read model is busy with that.
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
