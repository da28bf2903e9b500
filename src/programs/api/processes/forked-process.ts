import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { countersOf } from '../../../adapters/operations/added-up.js';
import type { ToldMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { inTime } from '../../../adapters/system/in-time.js';
import type { Answers, Message, Order, Question, Started } from './messages.js';
import { StartFailure } from './start-failure.js';

const SCRAPE_WITHIN_MS = 1_000;
/** Of what it sent before it ended. */
const LAST_MESSAGES_WITHIN_MS = 1_000;

/** An API process, as the first process sees it. */
export class ForkedProcess {
  /** Rejects where it ends before. */
  readonly started: Promise<Started>;
  /** Why it ended: after this, nothing comes from it any more. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #asked = new Map<number, (answer: unknown) => void>();
  #questions = 0;
  #isReady = false;
  #hasEnded = false;
  #metrics: ToldMetrics = [];
  #hasToldMetrics = true;

  /** `environment`: beside that of this process. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#worker = cluster.fork(environment);
    const { promise, resolve, reject } = promised<Started>();
    this.started = promise;
    // Whoever waits for it is told all the same.
    promise.catch(() => {});
    this.#worker.on('message', (message: Message) => {
      switch (message.kind) {
        case 'started':
          this.#isReady = true;
          return resolve(message);
        case 'answer':
          this.#asked.get(message.id)?.(message.answer);
          this.#asked.delete(message.id);
          return;
        case 'ending':
          this.#metrics = message.metrics;
      }
    });
    this.ended = endOf(this.#worker).then(({ exitCode, reason }) => {
      this.#hasEnded = true;
      for (const answer of this.#asked.values()) answer(null);
      this.#asked.clear();
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

  /** It has started, and has not ended. */
  get isReady(): boolean {
    return this.#isReady && !this.#hasEnded;
  }

  /** It has started, and has told its metrics when it was asked last. */
  get answers(): boolean {
    return this.isReady && this.#hasToldMetrics;
  }

  /** What it has counted in all, as far as it has told. */
  get counted(): ToldMetrics {
    return countersOf([this.#metrics]);
  }

  /** Null: it ended. One that hangs does not answer. */
  async ask<Asked extends Question>(question: Asked): Promise<Answers[Asked] | null> {
    if (this.#hasEnded) return null;
    const id = this.#questions++;
    const { promise, resolve } = promised<Answers[Asked] | null>();
    this.#asked.set(id, (answer) => resolve(answer as Answers[Asked] | null));
    this.#send({ kind: 'question', id, question });
    return promise;
  }

  /** What it counts and can tell; of one that does not answer, what it has counted. */
  async metrics(): Promise<ToldMetrics> {
    const told = await inTime(SCRAPE_WITHIN_MS, this.ask('metrics')).catch(() => null);
    this.#hasToldMetrics = told !== null;
    if (told === null) return this.counted;
    this.#metrics = told;
    return told;
  }

  retire(): void {
    this.#send({ kind: 'retire' });
  }

  kill(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }

  #send(order: Order): void {
    // It may end meanwhile, which is told by `ended`.
    this.#worker.send(order, () => {});
  }
}

interface Ending {
  /** Null: it was killed, or was never there. */
  readonly exitCode: number | null;
  readonly reason: string;
}

/**
 * What it told is read by then. Node does not emit `disconnect` for a process that ended before it took a connection that was handed to it,
 * so that nobody waits for it for long.
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
