import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';

const README = 'docs/examples/site/README.md';

/** The site of docs/examples/site, started as its README describes, in a separate process on a free port. */
export class ExampleSite {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  static async start(apiUrl: string, apiKey: string): Promise<ExampleSite> {
    const env = { PATH: process.env.PATH, API_URL: apiUrl, API_KEY: apiKey, PORT: '0' };
    const program = /^API_KEY=\S+ node (\S+)$/m.exec(await readFile(README, 'utf8'))?.[1];
    if (program === undefined) throw new Error(`${README} does not contain the command that starts the site`);
    // Its log of failures is part of the test, not of the output.
    const child = spawn(process.execPath, [program], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The site ended with ${code}, but should have continued`);
    });
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
    return new ExampleSite(child, line.replace(/.*: /, ''));
  }

  async stop(): Promise<void> {
    this.child.kill();
    await once(this.child, 'exit');
  }
}
