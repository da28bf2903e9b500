import { setTimeout as pause } from 'node:timers/promises';
import { PostgresLeadership } from '../../../../src/adapters/postgres/write/postgres-leadership.js';
import { BatchSize } from '../../../../src/application/sync/batch-size.js';
import { syncWorker } from '../../../../src/composition/worker-parts.js';
import { MemoryMetrics } from '../../../../src/contracts/fakes/memory-metrics.js';
import { LeadershipLost } from '../../../../src/domain/errors.js';
import type { ReadModelWriter } from '../../../../src/domain/ports/sync/read-model-writer.js';
import { Gate } from '../../../support/clock/gate.js';
import { RecordingLog } from '../../../support/programs/recording-log.js';
import { openSession } from '../../../support/sync/open-session.js';
import type { SyncedDatabases } from '../../../support/sync/synced-databases.js';
import { watchedPorts, wrapped } from './watched-ports.js';

/** A leader counts as frozen at once. */
const FROZEN_AFTER_MS = 0;
const LOCK_TIMEOUT_MS = 20;
const BATCH = 3;
/** Several times as many as the largest history needs. */
const MAX_STEPS = 1_000;
/** Connections that were closed, and locks that the dashboard held for too long. */
const OUTAGE =
  /Connection (terminated|ended|was killed|lost)|terminating connection|lock timeout|not queryable|Unable to acquire|closed state|ECONNRESET/;

function isOutage(error: unknown): boolean {
  return error instanceof Error && OUTAGE.test(error.message);
}

/**
 * A worker as composed for production. It continues only as far as the test allows, from one call of a port to the
 * next.
 */
export class SteppedWorker {
  readonly #session;
  readonly #leadership;
  readonly #worker;
  #epoch: number | null = null;
  #gate = new Gate();
  #boundariesLeft = 0;
  #batch = BATCH;
  #doing: Promise<void> | null = null;
  #isIdle = false;
  #checksFinished = 0;
  #isReplaced = false;
  #isClosed = false;
  #failure: unknown = null;

  constructor(private readonly databases: SyncedDatabases) {
    const log = new RecordingLog();
    const metrics = new MemoryMetrics();
    this.#session = openSession(databases, metrics, log);
    const { ports, readTables } = this.#session;
    const watched = {
      ...ports,
      leadership: new PostgresLeadership(readTables, 'test', FROZEN_AFTER_MS),
      readModelWriter: this.#watched(ports.readModelWriter),
    };
    const steppedPorts = watchedPorts(
      watched,
      () => this.#pass(),
      () => this.#batch,
    );
    this.#leadership = watched.leadership;
    this.#worker = syncWorker(steppedPorts, metrics, log, isOutage, new BatchSize(), new Map());
  }

  /** A failure ends the worker, as it ends the session of a worker in production. */
  get isOver(): boolean {
    return this.#failure !== null;
  }

  /** Continues past this many boundaries, and waits at the next one. */
  async continueFor(boundaries: number): Promise<void> {
    const held = this.#gate;
    this.#gate = new Gate();
    this.#boundariesLeft = boundaries;
    held.open();
    while (this.#boundariesLeft > 0 && !this.isOver) {
      this.#doing ??= this.#do();
      await Promise.race([this.#gate.arrivalOf('the worker at its next boundary'), this.#doing]);
    }
    this.#expectOutage();
  }

  /** Works until everything is done and all rows have been reconciled once more, or until it fails. */
  async finish(): Promise<void> {
    const held = this.#gate;
    this.#gate = new Gate();
    this.#boundariesLeft = Number.POSITIVE_INFINITY;
    this.#batch = Number.POSITIVE_INFINITY;
    held.open();
    await this.#doing;
    await this.#attempt((epoch) => this.#recognize(epoch));
    // The current step may have begun before the last changes.
    this.#isIdle = false;
    let steps = 0;
    for (; !this.#isIdle && !this.isOver && steps < MAX_STEPS; steps++) await this.#do();
    await this.databases.restartCheck();
    this.#checksFinished = 0;
    for (; this.#checksFinished === 0 && !this.isOver; steps++) {
      if (steps >= MAX_STEPS) throw new Error('A worker does not come to an end');
      await this.#attempt(async (epoch) => {
        // The check waits for jobs that it adds.
        await this.#worker.step(epoch);
        await this.#worker.reconcileNextStep(epoch);
      });
    }
    this.#boundariesLeft = 0;
    this.#batch = BATCH;
    this.#expectOutage();
  }

  /** Another worker becomes the leader. This one has not detected it yet. */
  replaced(): void {
    this.#isReplaced = true;
  }

  /** Finishes the current step and closes the worker. */
  async end(): Promise<void> {
    if (this.#doing !== null) {
      this.#boundariesLeft = Number.POSITIVE_INFINITY;
      this.#gate.open();
      await this.#doing;
    }
    await this.#close();
    this.#expectOutage();
  }

  /** Ends the worker without finishing the current step. */
  async die(): Promise<void> {
    await this.databases.endWorkerConnections();
    if (this.#doing !== null) this.#gate.fail(new Error('Connection ended'));
    await this.#doing;
    this.#failure ??= new Error('Connection ended');
    await this.#close();
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.close();
  }

  async #pass(): Promise<void> {
    if (this.#boundariesLeft > 0) this.#boundariesLeft--;
    else await this.#gate.wait();
  }

  #do(): Promise<void> {
    return this.#attempt(async (epoch) => {
      this.#isIdle = !(await this.#worker.step(epoch));
      if (this.#isIdle) await this.#worker.reconcileNextStep(epoch);
    });
  }

  async #attempt(work: (epoch: number) => Promise<unknown>): Promise<void> {
    try {
      this.#epoch ??= await this.#claim();
      await work(this.#epoch);
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#doing = null;
    }
  }

  async #claim(): Promise<number> {
    await this.#pass();
    // Otherwise it would wait for the dashboard's locks for a second.
    await this.databases.shortenLocks(this.#session.dashboard, LOCK_TIMEOUT_MS);
    for (;;) {
      const epoch = await this.#leadership.claim(null);
      if (epoch !== null) {
        await this.#recognize(epoch);
        return epoch;
      }
      await pause(1);
    }
  }

  /** At the beginning and every ten seconds. */
  async #recognize(epoch: number): Promise<void> {
    await this.#session.recognize(epoch);
    await this.#session.checkCapture(epoch);
  }

  #watched(writer: ReadModelWriter): ReadModelWriter {
    return wrapped(writer, {
      write: async (epoch, update) => {
        const wasReplaced = this.#isReplaced;
        const change = await writer.write(epoch, update);
        if (wasReplaced) throw new Error('A worker wrote after it had lost leadership');
        if (update.jobs.some((job) => job.kind === 'add' && job.scope.kind === 'reconcile'))
          this.#checksFinished++;
        return change;
      },
    });
  }

  #expectOutage(): void {
    const failure = this.#failure;
    if (failure === null || failure instanceof LeadershipLost) return;
    if (!isOutage(failure)) throw failure;
  }
}
