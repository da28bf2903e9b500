import type { RowKind } from '../../../domain/model/read-model.js';

/** A step of the worker has 10 s, and after a failed read it reads another row to judge it. */
const TOO_LONG_MS = 7_500;
const SLOW_FOR_MS = 600_000;

/**
 * Kinds of which a read took too long: the next ones have a second, because keys and other kinds
 * wait for them, and every ten minutes one has the whole time. Outlast connections.
 */
export class SlowKinds {
  readonly #until = new Map<RowKind, number>();

  has(kind: RowKind): boolean {
    return performance.now() < (this.#until.get(kind) ?? 0);
  }

  /** API keys are never slow: nothing is read before them, so they may take the whole time. */
  async watch<Result>(kind: RowKind, read: () => Promise<Result>): Promise<Result> {
    const begin = performance.now();
    try {
      return await read();
    } finally {
      const end = performance.now();
      if (kind !== 'apiKeys' && end - begin > TOO_LONG_MS) this.#until.set(kind, end + SLOW_FOR_MS);
    }
  }
}
