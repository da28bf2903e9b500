import type { ApplyChanges } from './apply-changes.js';
import type { Pace } from './pace.js';
import type { ReconcileReadModel } from './reconcile-read-model.js';
import type { RunNextJob } from './run-next-job.js';
import { StepSize } from './step-size.js';
import type { UpdateReadModel } from './update-read-model.js';

/**
 * What the leader does, a step at a time. Between two pieces of longer work it looks at the changes, where those of API keys come
 * first: a revocation waits for one piece or one batch, whatever else goes on.
 */
export class SyncWorker {
  #pieceIsDue = false;

  constructor(
    private readonly changes: ApplyChanges,
    private readonly work: RunNextJob,
    private readonly check: ReconcileReadModel,
    private readonly update: UpdateReadModel,
    private readonly pace: Pace,
    private readonly size = new StepSize(),
  ) {}

  /** False: all that was committed is applied. */
  step(epoch: number): Promise<boolean> {
    return this.size.during(() => this.#step(epoch));
  }

  async #step(epoch: number): Promise<boolean> {
    await this.update.publishLeft();
    const changed = await this.#applyChanges(epoch);
    if (changed && !this.#pieceIsDue) {
      this.#pieceIsDue = true;
      return true;
    }
    this.#pieceIsDue = false;
    return (await this.work.run(epoch)) || changed;
  }

  async #applyChanges(epoch: number): Promise<boolean> {
    const changed = (await this.changes.run(epoch)) > 0;
    if (changed) this.pace.edited();
    return changed;
  }

  /**
   * For now and then, whatever else there is to do but changes, which go first. Answers how many rows had to be mended. It is not always the
   * moment for a piece, and whoever leads has to write all the same: else it would be taken for frozen.
   */
  checkPiece(epoch: number): Promise<number> {
    return this.size.during(async () => {
      await this.#applyChanges(epoch);
      const { writes } = this.update;
      const repaired = await this.check.run(epoch);
      if (this.update.writes === writes) await this.update.run(epoch, { slices: [], work: [] });
      return repaired;
    });
  }
}
