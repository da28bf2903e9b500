import type { Clock } from '../ports/clock.js';
import type { ApplyChanges } from './apply-changes.js';
import type { ReconcileReadModel } from './reconcile-read-model.js';
import type { RunNextJob } from './run-next-job.js';
import type { UpdateReadModel } from './update-read-model.js';

/** While many changes wait, the first job step runs after this time. */
const FIRST_JOB_STEP_AFTER_MS = 3_000;
/** Changes are applied for this many times as long as a job step: jobs get a fifth of the time. */
const CHANGE_TIME_PER_JOB_TIME = 4;
/** The minimum of that time. A shorter one would pass before the next batch can be read ahead. */
const MIN_CHANGE_TIME_MS = 300;

/**
 * An edit that arrives during a job step waits until the step ends. After an edit, more are
 * expected for a while.
 */
const STEP_MS_WHILE_EDITED = 30;
const EDITS_EXPECTED_FOR_MS = 10_000;
/**
 * An edit waits for seconds anyway, and a longer step delays a revocation by no more than two
 * batches do.
 */
const STEP_MS_WHILE_MANY_WAIT = 240;
/** A larger step costs less per row. */
const STEP_MS_WHILE_QUIET = 1_000;

/**
 * What the leader does, step by step. A revocation waits for one step, or one batch of each lane.
 */
export class SyncWorker {
  #isJobStepDue = false;
  /** When the next job step is due. Null: not many changes wait. */
  #changesUntil: number | null = null;
  #editedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly changes: ApplyChanges,
    private readonly jobs: RunNextJob,
    private readonly check: ReconcileReadModel,
    private readonly update: UpdateReadModel,
    private readonly clock: Clock,
  ) {}

  /** False: no change and no job is left to do. */
  async step(epoch: number): Promise<boolean> {
    const changed = await this.#applyChanges(epoch);
    const isDue = this.#changesUntil === null ? this.#isJobStepDue : this.clock.now() >= this.#changesUntil;
    if (changed && !isDue) {
      this.#isJobStepDue = true;
      return true;
    }
    this.#isJobStepDue = false;
    const begin = this.clock.now();
    const worked = await this.jobs.run(epoch, this.#jobStepMs());
    if (this.#changesUntil !== null) {
      const end = this.clock.now();
      const changeTimeMs = Math.max(MIN_CHANGE_TIME_MS, CHANGE_TIME_PER_JOB_TIME * (end - begin));
      this.#changesUntil = worked ? end + changeTimeMs : null;
    }
    return worked || changed;
  }

  /**
   * Called from time to time, whatever other jobs there are. Changes still go first. Returns the
   * number of repaired rows. A step of the check is not always possible, but the leader has to
   * write in any case, or it would be considered frozen.
   */
  async reconcileNextStep(epoch: number): Promise<number> {
    await this.#applyChanges(epoch);
    const repaired = await this.check.run(epoch, this.#jobStepMs());
    await this.update.run(epoch, { slices: [], work: [] });
    return repaired;
  }

  async #applyChanges(epoch: number): Promise<boolean> {
    const until = this.#changesUntil ?? this.clock.now() + FIRST_JOB_STEP_AFTER_MS;
    const { applied, areManyWaiting } = await this.changes.run(epoch, until);
    if (areManyWaiting !== null) this.#changesUntil = areManyWaiting ? until : null;
    if (applied > 0) this.#editedAt = this.clock.now();
    return applied > 0;
  }

  #jobStepMs(): number {
    if (this.#changesUntil !== null) return STEP_MS_WHILE_MANY_WAIT;
    const areExpected = this.clock.now() - this.#editedAt < EDITS_EXPECTED_FOR_MS;
    return areExpected ? STEP_MS_WHILE_EDITED : STEP_MS_WHILE_QUIET;
  }
}
