import type { Clock } from '../ports/clock.js';
import type { ApplyChanges } from './apply-changes.js';
import type { Pace } from './pace.js';
import type { ReconcileReadModel } from './reconcile-read-model.js';
import type { RunNextJob } from './run-next-job.js';
import type { SlowRows } from './slow-rows.js';
import { StepSize } from './step-size.js';
import type { UpdateReadModel } from './update-read-model.js';

/** While many changes wait, the first job step runs after this time. */
const FIRST_JOB_STEP_AFTER_MS = 3_000;
/** After a job step, changes are applied for this many times as long. Jobs therefore get up to a fifth of the time. */
const CHANGE_TIME_PER_JOB_TIME = 4;
/** The minimum of that time. A shorter one would pass before the next batch can be read ahead. */
const MIN_CHANGE_TIME_MS = 300;

/**
 * What the leader does, step by step. It applies changes between two steps of a job, and those of API keys first: a revocation waits for
 * one step or for a batch of each other lane, whatever else is running.
 */
export class SyncWorker {
  #isJobStepDue = false;
  /** While many changes wait: when the next job step is due. */
  #changesUntil: number | null = null;

  constructor(
    private readonly changes: ApplyChanges,
    private readonly jobs: RunNextJob,
    private readonly check: ReconcileReadModel,
    private readonly update: UpdateReadModel,
    private readonly pace: Pace,
    private readonly clock: Clock,
    private readonly slow: SlowRows,
    private readonly size = new StepSize(),
  ) {}

  /** False: no change and no job is left to do. */
  step(epoch: number): Promise<boolean> {
    return this.size.during('step', () => this.#step(epoch));
  }

  async #step(epoch: number): Promise<boolean> {
    const changed = await this.#applyChanges(epoch);
    const isDue = this.#changesUntil === null ? this.#isJobStepDue : this.clock.now() >= this.#changesUntil;
    if (changed && !isDue) {
      this.#isJobStepDue = true;
      return true;
    }
    this.#isJobStepDue = false;
    const begin = this.clock.now();
    const worked = await this.jobs.run(epoch);
    if (this.#changesUntil !== null) {
      const end = this.clock.now();
      const changeTimeMs = Math.max(MIN_CHANGE_TIME_MS, CHANGE_TIME_PER_JOB_TIME * (end - begin));
      this.#changesUntil = worked ? end + changeTimeMs : null;
    }
    return worked || changed;
  }

  async #applyChanges(epoch: number): Promise<boolean> {
    this.#changesUntil ??= this.clock.now() + FIRST_JOB_STEP_AFTER_MS;
    const changed = (await this.changes.run(epoch, this.#changesUntil)) > 0;
    if (!this.changes.areManyWaiting) this.#changesUntil = null;
    if (changed) this.pace.changesFound(this.changes.areManyWaiting);
    else this.pace.noChangeFound();
    return changed;
  }

  /**
   * Called from time to time, whatever other jobs there are. Changes still go first. Returns the number of repaired rows. A step is not
   * always possible, but the leader has to write in any case, or it would be considered frozen.
   */
  reconcileNextStep(epoch: number): Promise<number> {
    return this.size.during('reconcile', async () => {
      await this.#applyChanges(epoch);
      const { writes } = this.update;
      const repaired = await this.check.run(epoch);
      const work = this.slow.takeDue();
      if (this.update.writes === writes || work.length > 0)
        await this.update.run(epoch, { slices: [], work });
      return repaired;
    });
  }
}
