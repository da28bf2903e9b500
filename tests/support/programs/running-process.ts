import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process that a test starts, with all its output. */
export class RunningProcess {
  output = '';
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(command: string, args: readonly string[], environment: NodeJS.ProcessEnv, cwd: string) {
    this.#child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'close').then(([code]) => code);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.#child.emit('output');
      });
    }
  }

  /** The first group of the pattern, as soon as the output matches. */
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

  /** Closes the output as `head` does: the program then writes to a broken pipe. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** The output is not read from now on, so its pipe fills. */
  leaveOutput(): void {
    this.#child.stdout?.pause();
  }

  readOutput(): void {
    this.#child.stdout?.resume();
  }

  /** Null if a signal ended it. */
  exitCode(): Promise<number | null> {
    return this.#exited;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.#exited;
  }
}
