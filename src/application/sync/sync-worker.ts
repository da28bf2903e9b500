import type { Clock } from '../../domain/ports/system/clock.js';
import type { ApplyChanges } from './apply-changes.js';
import type { JobTurns } from './job-turns.js';
import type { RetryRows } from './retry-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

/** While many changes wait, a job step runs after each such time. */
const CHANGES_MS = 3_000;

/**
 * An edit that arrives during a job step waits until the step ends. After two edits, more are
 * expected for a while; after one, only its own jobs.
 */
const STEP_MS_WHILE_EDITED = 30;
const EDITS_EXPECTED_FOR_MS = 10_000;
/** An edit or a revocation then waits for two or three batches, which take as long. */
const STEP_MS_WHILE_MANY_WAIT = 240;
/** A larger step costs less per row. */
const STEP_MS_WHILE_QUIET = 1_000;

/**
 * What the leader does, step by step. A revocation waits for one step, or one batch of each lane.
 */
export class SyncWorker {
  #areManyWaiting = false;
  #editedAt = Number.NEGATIVE_INFINITY;
  #editedBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly changes: ApplyChanges,
    private readonly jobs: JobTurns,
    private readonly retries: RetryRows,
    private readonly update: UpdateReadModel,
    private readonly clock: Clock,
  ) {}

  /** False: no change, no job and no row is left to do. */
  async step(epoch: number): Promise<boolean> {
    const changed = await this.#applyChanges(epoch);
    const worked = await this.jobs.step(epoch, this.#jobStepMs());
    const retried = await this.retries.retry(epoch, this.#jobStepMs());
    return worked || retried || changed;
  }

  /** A leader that does not write in time counts as frozen, and a read table as outdated. */
  async beat(epoch: number): Promise<void> {
    await this.update.write(epoch, { slices: [], jobs: [] });
  }

  /**
   * Called from time to time, whatever other jobs there are. Changes still go first. Returns the
   * number of repaired rows.
   */
  async reconcileNextStep(epoch: number): Promise<number> {
    await this.#applyChanges(epoch);
    return this.jobs.reconcile(epoch, this.#jobStepMs());
  }

  async #applyChanges(epoch: number): Promise<boolean> {
    const until = this.clock.now() + CHANGES_MS;
    let hasApplied = false;
    for (;;) {
      const { applied, areManyWaiting, hasFailed } = await this.changes.apply(epoch, until);
      this.#areManyWaiting = areManyWaiting;
      hasApplied ||= applied > 0;
      if (!hasFailed || this.clock.now() >= until) break;
    }
    if (hasApplied) [this.#editedBefore, this.#editedAt] = [this.#editedAt, this.clock.now()];
    return hasApplied;
  }

  #jobStepMs(): number {
    if (this.#areManyWaiting) return STEP_MS_WHILE_MANY_WAIT;
    const areExpected = this.clock.now() - this.#editedBefore < EDITS_EXPECTED_FOR_MS;
    return areExpected ? STEP_MS_WHILE_EDITED : STEP_MS_WHILE_QUIET;
  }
}
