import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../dist/bin/blog-read-api.js', import.meta.url));
/** Nothing of the surroundings: a program under test sees the variables that the test gives it, and no others. */
const BARE_ENVIRONMENT = { PATH: process.env.PATH, LOG_PRETTY: 'false' };

/** A run of the real binary. */
export class RunningProgram {
  output = '';
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(args: readonly string[], environment: Record<string, string> = {}, cwd = process.cwd()) {
    this.#child = spawn(process.execPath, [BINARY, ...args], {
      cwd,
      env: { ...BARE_ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'close').then(([code]) => code);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.#child.emit('output');
      });
    }
  }

  /** The first group of the pattern, as soon as the output has it. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found[1] ?? found[0];
      const ended = await Promise.race([
        once(this.#child, 'output').then(() => false),
        this.#exited.then(() => true),
      ]);
      if (ended && !pattern.test(this.output)) {
        throw new Error(`The program ended without printing ${pattern}:\n${this.output}`);
      }
    }
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('The program could not be started');
    return pid;
  }

  /** As `head` does once it has seen enough: what the program writes from then on is a broken pipe. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** Null if it was killed. */
  exitCode(): Promise<number | null> {
    return this.#exited;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.#exited;
  }
}

/** Runs a command to its end. */
export async function runProgram(args: readonly string[], environment: Record<string, string> = {}) {
  const program = new RunningProgram(args, environment);
  const code = await program.exitCode();
  return { code, output: program.output };
}
