import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { type CommandBlock, showsOutput } from './command-blocks.js';

const LONG_RUNNING = /^(?:npm (?:start|run api|run sync)|npx blog-read-api embedded)(?= *(?:#.*)?$)/gm;
/** Continues in the background once its last port is open. */
const IN_BACKGROUND = `log=$(mktemp); $& >"$log" 2>&1 &
until grep -q adminAddress "$log"; do kill -0 $! || { cat "$log"; exit 1; }; sleep 0.1; done; cat "$log"`;

/**
 * A shell of a reader: later blocks of commands see what earlier ones have set, and the first command that fails ends
 * it. A reader would run a program that does not end in another terminal; here it runs in the background.
 */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #closed: Promise<unknown>;
  #printed = '';

  constructor(folder: string, environment: NodeJS.ProcessEnv) {
    // A separate process group, so that background programs can be stopped with it.
    this.#shell = spawn('sh', ['-e'], { cwd: folder, env: environment, detached: true });
    this.#closed = once(this.#shell, 'close');
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
        this.#shell.emit('printed');
      });
    }
  }

  /** Returns the output of the commands. Throws with the output if one of them fails. */
  async run(commands: string): Promise<string> {
    const end = `${randomUUID()}\n`;
    this.#printed = '';
    const lines = commands.replace(LONG_RUNNING, IN_BACKGROUND);
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

  /** Runs the commands of a page, which have to print what it shows. */
  async follow(
    page: string,
    { line, commands, output }: CommandBlock,
    replacements: Readonly<Record<string, string>>,
  ): Promise<void> {
    let filledIn = commands;
    for (const [from, to] of Object.entries(replacements)) filledIn = filledIn.replaceAll(from, to);
    const printed = await this.run(filledIn);
    if (output === null || showsOutput(output, printed)) return;
    throw new Error(`${page}:${line} shows\n${output}\nand this was printed:\n${printed}`);
  }

  /** Ends the shell and its programs, and waits until all are gone. */
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
      if (isThere()) throw new Error('A program of the terminal continues after SIGTERM');
    });
  }
}
