import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { eventually } from '../../src/contracts/support/eventually.js';

const GOES_ON = /^(?:npm (?:start|run api|run sync)|npx blog-read-api embedded)(?= *(?:#.*)?$)/gm;
/** In the background, from when its last port is open. */
const LEFT_RUNNING = `log=$(mktemp); $& >"$log" 2>&1 &
until grep -q adminAddress "$log"; do kill -0 $! || { cat "$log"; exit 1; }; sleep 0.1; done; cat "$log"`;

/**
 * One shell, as a reader's: what a block of commands sets, the next one has. The first command that fails ends it. For a program that goes
 * on until it is stopped a reader would open another terminal: here it is left running.
 */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #closed: Promise<unknown>;
  #printed = '';

  constructor(folder: string, environment: NodeJS.ProcessEnv) {
    // A process group of its own, so that what it leaves running can be stopped with it.
    this.#shell = spawn('sh', ['-e'], { cwd: folder, env: environment, detached: true });
    this.#closed = once(this.#shell, 'close');
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
        this.#shell.emit('printed');
      });
    }
  }

  /** What they print. An error, with all of it, if one of them fails. */
  async run(commands: string): Promise<string> {
    const end = `${randomUUID()}\n`;
    this.#printed = '';
    const lines = commands.replace(GOES_ON, LEFT_RUNNING);
    this.#shell.stdin?.write(`{\n${lines}\n} </dev/null 2>&1\necho ${end}`);
    while (!this.#printed.endsWith(end)) {
      const isOver = await Promise.race([
        once(this.#shell, 'printed').then(() => false),
        this.#closed.then(() => true),
      ]);
      if (isOver) throw new Error(`exit code ${this.#shell.exitCode} from\n${commands}\n\n${this.#printed}`);
    }
    return this.#printed.slice(0, -end.length);
  }

  /** With all that runs in it, and waits until that is gone. */
  async close(): Promise<void> {
    const group = -Number(this.#shell.pid);
    const isThere = () => {
      try {
        return process.kill(group, 0);
      } catch {
        return false;
      }
    };
    if (isThere()) process.kill(group, 'SIGTERM');
    await eventually(() => {
      if (isThere()) throw new Error('A program of the terminal goes on after SIGTERM');
    });
  }
}
