import type { ReadinessBody } from '../../../src/adapters/operations/readiness.js';
import { RunningProgram } from '../../support/programs/program.js';
import type { Fault } from './fault-plan.js';
import type { Findings } from './troubles.js';

/** The port answers sooner by itself. */
const OPERATORS_MS = 5_000;

/** A program of the installation, across restarts. */
export class KeptProgram {
  #program: RunningProgram;
  #isToEnd = false;
  #earlierOutput = '';
  /** Null while it has no address. */
  #adminAddress: string | null = null;

  constructor(
    readonly name: string,
    private readonly command: readonly string[],
    private readonly environment: Record<string, string>,
    private readonly findings: Findings,
  ) {
    this.#program = this.#start();
  }

  printed(pattern: RegExp): Promise<string> {
    return this.#program.printed(pattern);
  }

  async readiness(): Promise<ReadinessBody> {
    return (await this.#askOperators('/readyz')).json() as Promise<ReadinessBody>;
  }

  async metrics(): Promise<string> {
    return (await this.#askOperators('/metrics')).text();
  }

  /** The output of all runs since the last call. */
  takeOutput(): string {
    const output = this.#earlierOutput + this.#program.output;
    this.#earlierOutput = '';
    this.#program.output = '';
    return output;
  }

  async kill(): Promise<void> {
    this.#isToEnd = true;
    this.#adminAddress = null;
    await this.#program.end('SIGKILL');
    this.#earlierOutput += this.#program.output;
  }

  killed(afterStart: () => Promise<void> = async () => {}): Fault {
    return {
      begin: () => this.kill(),
      end: async () => {
        this.#program = this.#start();
        await afterStart();
      },
    };
  }

  frozen(): Fault {
    return {
      begin: async () => void process.kill(this.#program.pid, 'SIGSTOP'),
      end: async () => void process.kill(this.#program.pid, 'SIGCONT'),
    };
  }

  async #askOperators(path: string): Promise<Response> {
    if (this.#adminAddress === null) throw new Error(`${this.name} has not opened its operators' port`);
    return fetch(`${this.#adminAddress}${path}`, { signal: AbortSignal.timeout(OPERATORS_MS) });
  }

  #start(): RunningProgram {
    this.#isToEnd = false;
    const program = new RunningProgram(this.command, this.environment);
    program.printed(/"adminAddress":"([^"]+)"/).then(
      (address) => {
        if (program === this.#program) this.#adminAddress = address;
      },
      // It was killed before it listened.
      () => {},
    );
    program.exitCode().then((code) => {
      if (!this.#isToEnd) this.findings.add(`${this.name} ended by itself with exit code ${code}`);
    });
    return program;
  }
}
