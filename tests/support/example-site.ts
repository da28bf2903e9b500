import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** The site of docs/examples/site, in a process of its own and on a free port. */
export class ExampleSite {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  static async start(apiUrl: string, apiKey: string): Promise<ExampleSite> {
    const env = { PATH: process.env.PATH, API_URL: apiUrl, API_KEY: apiKey, PORT: '0' };
    // What it logs of failures is part of the test, not of its output.
    const child = spawn(process.execPath, ['docs/examples/site/server.js'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = await once(createInterface(child.stdout), 'line');
    return new ExampleSite(child, line.replace(/.*: /, ''));
  }

  async stop(): Promise<void> {
    this.child.kill();
    await once(this.child, 'exit');
  }
}
