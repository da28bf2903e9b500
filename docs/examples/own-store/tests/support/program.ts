import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The folder of the package, relative to the compiled file. */
const FOLDER = fileURLToPath(new URL('../../../', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../../node_modules/.bin/blog-read-api', import.meta.url));

/** A command of the installed package, with its output. */
export class Program {
  output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>>) {
    const { PATH } = process.env;
    this.#child = spawn(COMMAND, args, {
      cwd: FOLDER,
      env: {
        PATH,
        EXTENSIONS: './dist/src/extension.js',
        LOG_PRETTY: 'false',
        ADMIN_PORT: '0',
        ...environment,
      },
    });
    this.#ended = once(this.#child, 'close').then(([code]) => code);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.#child.emit('output');
      });
    }
  }

  /** Returns the first group of the pattern as soon as the output matches. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output)?.[1];
      if (found !== undefined) return found;
      const code = await Promise.race([once(this.#child, 'output').then(() => undefined), this.#ended]);
      if (code !== undefined && !pattern.test(this.output))
        throw new Error(`It ended with ${code} without printing ${pattern}:\n${this.output}`);
    }
  }

  /** Null if it was killed. */
  exitCode(): Promise<number | null> {
    return this.#ended;
  }

  end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }
}
