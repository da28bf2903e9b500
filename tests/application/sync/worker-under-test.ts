import sinon from 'sinon';
import { ApplyChanges } from '../../../src/application/sync/apply-changes.js';
import { BatchSize } from '../../../src/application/sync/batch-size.js';
import { FailedPieces } from '../../../src/application/sync/failed-piece.js';
import { JobStep } from '../../../src/application/sync/job-step.js';
import { JobTurns } from '../../../src/application/sync/job-turns.js';
import { RetryRows } from '../../../src/application/sync/retry-rows.js';
import { SyncWorker } from '../../../src/application/sync/sync-worker.js';
import { UpdateReadModel } from '../../../src/application/sync/update-read-model.js';
import { MemoryChangeFeed } from '../../../src/contracts/fakes/memory-change-feed.js';
import { MemoryContentSource } from '../../../src/contracts/fakes/memory-content-source.js';
import { MemoryLeadership } from '../../../src/contracts/fakes/memory-leadership.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { RowRefused } from '../../../src/domain/errors.js';
import type { Change } from '../../../src/domain/model/job.js';
import type { RowKind } from '../../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../../src/domain/model/source.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

const MAX_STEPS = 1_000;
const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];

/** The error of a server that becomes unavailable. */
export const OUTAGE = 'connection lost';

function isOutage(error: unknown): boolean {
  return error instanceof Error && error.message === OUTAGE;
}

/**
 * The steps of the sync worker, as the leader, on a dashboard and a read model in memory; the first fill is still to
 * be done.
 */
export class WorkerUnderTest {
  readonly clock = new SettableClock();
  readonly source = new MemoryContentSource();
  readonly feed = new MemoryChangeFeed(this.source);
  readonly readModel = new MemoryReadModel(this.clock);
  readonly jobs = this.readModel.jobs;
  readonly metrics = new MemoryMetrics();
  readonly log = new RecordingLog();
  readonly update = new UpdateReadModel(this.readModel, this.metrics, this.log);
  readonly failed = new FailedPieces(
    this.source,
    this.readModel,
    this.update,
    isOutage,
    new Map(),
    this.metrics,
    this.log,
  );
  readonly jobStep = new JobStep(this.readModel, this.update);
  readonly size = new BatchSize();
  readonly changes = new ApplyChanges(this.feed, this.update, this.failed, this.clock, this.size);
  readonly retries = new RetryRows(
    this.readModel,
    this.source,
    this.update,
    this.failed,
    this.clock,
    this.size,
  );
  readonly jobTurns = this.newJobTurns();
  readonly worker = new SyncWorker(this.changes, this.jobTurns, this.retries, this.update, this.clock);
  epoch = 0;

  constructor() {
    this.leadAgain();
  }

  newJobTurns(): JobTurns {
    const { jobs, feed, source, jobStep, update, failed, clock, size } = this;
    return new JobTurns(jobs, feed, source, jobStep, update, failed, clock, size);
  }

  /** Claims leadership again as another worker would: the former leader loses it. */
  leadAgain(): void {
    this.epoch = this.readModel.lead.claim(new MemoryLeadership(this.readModel.lead, 0), -1) ?? 0;
  }

  /** Commits rows in the dashboard. */
  put<Kind extends RowKind>(kind: Kind, ...rows: readonly SourceTypes[Kind][]): void {
    for (const row of rows) {
      this.source.put(kind, row);
      this.feed.add(kind, row.id);
    }
  }

  remove(kind: RowKind, ...ids: readonly string[]): void {
    for (const id of ids) {
      this.source.remove(kind, id);
      this.feed.add(kind, id);
    }
  }

  /** Applies changes for up to three seconds. */
  async applyChanges(): Promise<number> {
    return (await this.changes.apply(this.epoch, this.clock.now() + 3_000)).applied;
  }

  /** Applies all changes. */
  applyAll(): Promise<void> {
    return toTheEnd(() => this.applyChanges());
  }

  /** Runs one step of the next job. */
  runJob(): Promise<boolean> {
    return this.jobTurns.step(this.epoch, Number.POSITIVE_INFINITY);
  }

  /** Reconciles by one step, and returns the number of repaired rows. */
  checkStep(): Promise<number> {
    return this.jobTurns.reconcile(this.epoch, Number.POSITIVE_INFINITY);
  }

  /** Reconciles to the end, and returns the number of repaired rows. */
  async checkAll(): Promise<number> {
    let repaired = await this.checkStep();
    const job = (await this.jobs.next(['reconcile']))?.id;
    await toTheEnd(async () => {
      repaired += await this.checkStep();
      return (await this.jobs.next(['reconcile']))?.id === job;
    });
    return repaired;
  }

  waitingChanges(): Promise<readonly Change[]> {
    return this.feed.read(Number.MAX_SAFE_INTEGER, async (changes) => changes);
  }

  /** The storage refuses these rows from now on. */
  refuseToStore(reason: string, ...ids: readonly string[]): { restore(): void } {
    const write = this.readModel.write.bind(this.readModel);
    return sinon.stub(this.readModel, 'write').callsFake(async (epoch, update) => {
      const rows = update.slices.flatMap((slice): readonly { id: string }[] => slice.rows);
      if (rows.some(({ id }) => ids.includes(id))) throw new RowRefused(reason);
      return write(epoch, update);
    });
  }

  /** From now on, every read of one of these rows fails. */
  failToRead(error: Error, ...ids: readonly string[]) {
    const read = this.source.read.bind(this.source) as (...args: unknown[]) => Promise<never>;
    return sinon.stub(this.source, 'read').callsFake((...args: unknown[]) => {
      if ((args[1] as readonly string[]).some((id) => ids.includes(id))) throw error;
      return read(...args);
    });
  }

  /** Limits every read to this many rows from now on. */
  readAtMost(rows: number): void {
    const read = this.source.read.bind(this.source);
    sinon.stub(this.source, 'snapshot').returns(this.source);
    sinon.stub(this.source, 'read').callsFake((kind, ids) => read(kind, ids.slice(0, rows)));
  }

  /** Works until nothing is left to do. */
  async settle(): Promise<void> {
    await toTheEnd(() => this.worker.step(this.epoch));
  }

  titleOf(id: string): string | undefined {
    return this.readModel.rows('blogs').find((blog) => blog.id === id)?.title;
  }

  idsOf(kind: RowKind): readonly string[] {
    return this.readModel.rows(kind).map(({ id }) => id);
  }

  /** All rows of the read model, for comparison. */
  dump() {
    return Object.fromEntries(KINDS.map((kind) => [kind, this.readModel.rows(kind)]));
  }

  generations(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.readModel.generations);
  }
}

/** Repeats a step while it reports that it did something. Fails if this never ends. */
export async function toTheEnd(step: () => Promise<number | boolean>): Promise<void> {
  for (let steps = 0; await step(); steps++) {
    if (steps === MAX_STEPS) throw new Error('The steps do not end');
  }
}
