import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { processorTimeOfAll } from './processor-time.js';

const POLL_MS = 2;
const TIMEOUT_MS = 30_000;

/** The request that the server has to answer with 200 before it counts as started. */
export interface Question {
  readonly path: string;
  readonly key: string;
}

/** A server in a separate process: its address, its processor time and its memory. */
export class MeasuredServer {
  private constructor(
    private readonly process: ChildProcess,
    readonly address: string,
    /** The time from the start of its process to its first answer. */
    readonly startedWithinMs: number,
  ) {}

  static async start(
    args: readonly string[],
    environment: Record<string, string>,
    question: Question,
  ): Promise<MeasuredServer> {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const begin = performance.now();
    const child = spawn(process.execPath, args, {
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_PRETTY: 'false',
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    while (!(await answers(address, question))) {
      if (child.exitCode !== null) throw new Error(`Ended before it answered: node ${args.join(' ')}`);
      if (performance.now() - begin > TIMEOUT_MS) throw new Error(`Does not answer: node ${args.join(' ')}`);
      await pause(POLL_MS);
    }
    return new MeasuredServer(child, address, performance.now() - begin);
  }

  get pid(): number {
    return this.process.pid ?? Number.NaN;
  }

  /** The processor time of all its threads and processes, in milliseconds. */
  processorTime(): Promise<number> {
    return processorTimeOfAll(this.pid);
  }

  async residentMegabytes(): Promise<number> {
    const status = await readFile(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** Has no effect if the server has ended. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'close');
    this.process.kill('SIGTERM');
    await ended;
  }
}

/** Does not use `sendRequest` of the tests, which accepts only answers of the API: those of baselines differ. */
async function answers(address: string, { path, key }: Question): Promise<boolean> {
  try {
    const answer = await fetch(`${address}${path}`, { headers: { 'X-API-Key': key } });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}
