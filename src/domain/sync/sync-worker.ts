import type { Clock } from '../ports/clock.js';
import type { ApplyChanges } from './apply-changes.js';
import type { Pace } from './pace.js';
import type { ReconcileReadModel } from './reconcile-read-model.js';
import type { RunNextJob } from './run-next-job.js';
import { StepSize } from './step-size.js';
import type { UpdateReadModel } from './update-read-model.js';

/** While many changes wait, jobs wait for this time at first. */
const MAX_RUN_MS = 3_000;
/** After a job step, changes have this multiple of its time. So jobs have up to a fifth of the time. */
const CHANGES_PER_JOB_STEP = 4;

/**
 * What the leader does, step by step. It applies changes between two steps of a job, and those of API keys first: a revocation waits for
 * one step or for two batches, whatever else is running.
 */
export class SyncWorker {
  #isJobStepDue = false;
  /** While many changes wait: when the next job step is due. */
  #changesUntil: number | null = null;

  constructor(
    private readonly changes: ApplyChanges,
    private readonly work: RunNextJob,
    private readonly check: ReconcileReadModel,
    private readonly update: UpdateReadModel,
    private readonly pace: Pace,
    private readonly clock: Clock,
    private readonly size = new StepSize(),
  ) {}

  /** False: all committed changes are applied. */
  step(epoch: number): Promise<boolean> {
    return this.size.during(() => this.#step(epoch));
  }

  async #step(epoch: number): Promise<boolean> {
    await this.update.publishPending();
    const changed = await this.#applyChanges(epoch);
    const isDue = this.#changesUntil === null ? this.#isJobStepDue : this.clock.now() >= this.#changesUntil;
    if (changed && !isDue) {
      this.#isJobStepDue = true;
      return true;
    }
    this.#isJobStepDue = false;
    const begin = this.clock.now();
    const worked = await this.work.run(epoch);
    if (this.#changesUntil !== null) {
      const end = this.clock.now();
      this.#changesUntil = worked ? end + CHANGES_PER_JOB_STEP * (end - begin) : null;
    }
    return worked || changed;
  }

  async #applyChanges(epoch: number): Promise<boolean> {
    this.#changesUntil ??= this.clock.now() + MAX_RUN_MS;
    const changed = (await this.changes.run(epoch, this.#changesUntil)) > 0;
    if (!this.changes.areManyWaiting) this.#changesUntil = null;
    if (changed) this.pace.edited(this.changes.areManyWaiting);
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
