import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { countersOf } from '../../../adapters/operations/merged-metrics.js';
import type { ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import type { Command, Message, Question, Replies, Started } from './messages.js';
import { StartFailure } from './start-failure.js';

const SCRAPE_WITHIN_MS = 1_000;
/** The time limit for messages that it sent before it ended. */
const LAST_MESSAGES_WITHIN_MS = 1_000;

/** An API process, as the first process sees it. */
export class ForkedProcess {
  /** Rejects if the process ends before it has started. */
  readonly started: Promise<Started>;
  /** The reason why it ended. It sends no messages after this. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #pendingReplies = new Map<number, (reply: unknown) => void>();
  #questions = 0;
  #isReady = false;
  #hasEnded = false;
  #metrics: ReportedMetrics = [];
  #hasReportedMetrics = true;

  /** `environment`: additional variables, besides those of this process. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#worker = cluster.fork(environment);
    const { promise, resolve, reject } = promised<Started>();
    this.started = promise;
    // Callers that await it still get the error.
    promise.catch(() => {});
    this.#worker.on('message', (message: Message) => {
      switch (message.kind) {
        case 'started':
          this.#isReady = true;
          return resolve(message);
        case 'reply':
          this.#pendingReplies.get(message.id)?.(message.reply);
          this.#pendingReplies.delete(message.id);
          return;
        case 'ending':
          this.#metrics = message.metrics;
      }
    });
    this.ended = endOf(this.#worker).then(({ exitCode, reason }) => {
      this.#hasEnded = true;
      for (const resolveReply of this.#pendingReplies.values()) resolveReply(null);
      this.#pendingReplies.clear();
      reject(
        exitCode === null
          ? new Error(`An API process did not start: ${reason}.`)
          : new StartFailure(exitCode || 1),
      );
      return reason;
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** It has started and has not ended. */
  get isReady(): boolean {
    return this.#isReady && !this.#hasEnded;
  }

  /** It has started and has answered the last query for its metrics. */
  get answers(): boolean {
    return this.isReady && this.#hasReportedMetrics;
  }

  /** Its total counts, as last reported. */
  get counted(): ReportedMetrics {
    return countersOf([this.#metrics]);
  }

  /** Null: it ended. A process that hangs does not answer. */
  async ask<Asked extends Question>(question: Asked): Promise<Replies[Asked] | null> {
    if (this.#hasEnded) return null;
    const id = this.#questions++;
    const { promise, resolve } = promised<Replies[Asked] | null>();
    this.#pendingReplies.set(id, (reply) => resolve(reply as Replies[Asked] | null));
    this.#send({ kind: 'question', id, question });
    return promise;
  }

  /** Its current metrics, or its last known counts if it does not answer. */
  async metrics(): Promise<ReportedMetrics> {
    const reported = await withTimeLimit(SCRAPE_WITHIN_MS, this.ask('metrics')).catch(() => null);
    this.#hasReportedMetrics = reported !== null;
    if (reported === null) return this.counted;
    this.#metrics = reported;
    return reported;
  }

  retire(): void {
    this.#send({ kind: 'retire' });
  }

  kill(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }

  #send(command: Command): void {
    // It may end meanwhile, which `ended` reports.
    this.#worker.send(command, () => {});
  }
}

interface Ending {
  /** Null: it was killed, or never started. */
  readonly exitCode: number | null;
  readonly reason: string;
}

/**
 * Resolves after its last messages were read. Node does not emit `disconnect` for a process that ended before it accepted a connection that
 * was passed to it, so the wait for it is limited.
 */
function endOf(worker: Worker): Promise<Ending> {
  return new Promise((resolve) => {
    const silent = new Promise<void>((isSilent) => worker.once('disconnect', () => isSilent()));
    worker.once('exit', async (code: number, signal: string | null) => {
      await Promise.race([silent, pause(LAST_MESSAGES_WITHIN_MS)]);
      resolve(
        signal === null
          ? { exitCode: code, reason: `exit code ${code}` }
          : { exitCode: null, reason: `it was ended by ${signal}` },
      );
    });
    worker.on('error', (error: Error) => {
      if (worker.process.pid === undefined) resolve({ exitCode: null, reason: error.message });
    });
  });
}

function promised<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
