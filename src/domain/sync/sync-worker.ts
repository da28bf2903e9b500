import type { ApplyChanges } from './apply-changes.js';
import type { Pace } from './pace.js';
import type { ReconcileReadModel } from './reconcile-read-model.js';
import type { RunNextJob } from './run-next-job.js';
import { StepSize } from './step-size.js';
import type { UpdateReadModel } from './update-read-model.js';

/**
 * What the leader does, step by step. It applies changes between two steps of a job, and those of API keys first: a revocation waits for
 * one step or one batch, whatever else is running.
 */
export class SyncWorker {
  #isJobStepDue = false;

  constructor(
    private readonly changes: ApplyChanges,
    private readonly work: RunNextJob,
    private readonly check: ReconcileReadModel,
    private readonly update: UpdateReadModel,
    private readonly pace: Pace,
    private readonly size = new StepSize(),
  ) {}

  /** False: all committed changes are applied. */
  step(epoch: number): Promise<boolean> {
    return this.size.during(() => this.#step(epoch));
  }

  async #step(epoch: number): Promise<boolean> {
    await this.update.publishPending();
    const changed = await this.#applyChanges(epoch);
    if (changed && !this.#isJobStepDue) {
      this.#isJobStepDue = true;
      return true;
    }
    this.#isJobStepDue = false;
    return (await this.work.run(epoch)) || changed;
  }

  async #applyChanges(epoch: number): Promise<boolean> {
    const changed = (await this.changes.run(epoch)) > 0;
    if (changed) this.pace.edited();
    return changed;
  }

  /**
   * Called from time to time, whatever other jobs there are. Changes still go first. Returns the number of repaired rows. A step is not
   * always possible, but the leader has to write in any case, or it would be considered frozen.
   */
  reconcileNextStep(epoch: number): Promise<number> {
    return this.size.during(async () => {
      await this.#applyChanges(epoch);
      const { writes } = this.update;
      const repaired = await this.check.run(epoch);
      if (this.update.writes === writes) await this.update.run(epoch, { slices: [], work: [] });
      return repaired;
    });
  }
}
