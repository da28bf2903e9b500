import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf } from '../../support/programs/running-programs.js';
import { sampleOf } from '../../support/programs/scrape.js';

/** The processes that start at the same time need the processors, too. */
const BETWEEN_MS = 20;

type Line = Readonly<Record<string, unknown>>;

/** A running `api --processes N`. */
export class ApiGroup {
  private constructor(
    readonly program: RunningProgram,
    readonly address: string,
    readonly adminAddress: string,
  ) {}

  static async start(count: number, environment: Record<string, string>): Promise<ApiGroup> {
    const program = new RunningProgram(['api', '--processes', String(count)], {
      PORT: '0',
      HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      RATE_LIMIT_MAX: '1000000',
      ...environment,
    });
    try {
      return new ApiGroup(program, await addressOf(program), await adminAddressOf(program));
    } catch (error) {
      await program.end('SIGKILL');
      throw error;
    }
  }

  /** The log lines so far that contain this text. */
  logged(message: string): readonly Line[] {
    return this.program.output
      .split('\n')
      .filter((line) => line.endsWith('}') && line.includes(message))
      .map((line) => JSON.parse(line));
  }

  /** The ids of all processes that serve or have served. */
  get pids(): readonly number[] {
    return this.logged('"msg":"listening"').map(({ pid }) => Number(pid));
  }

  /** The processes that this program has started and that still run. */
  async children(): Promise<readonly number[]> {
    const { pid } = this.program;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  }

  async readiness() {
    const { status, text } = await askOperators(this.adminAddress, '/readyz');
    return { code: status, ...JSON.parse(text) };
  }

  async isReady(): Promise<void> {
    await eventually(async () => expect(await this.readiness()).to.include({ code: 200, status: 'ready' }));
  }

  async sample(name: string): Promise<number | null> {
    return sampleOf((await askOperators(this.adminAddress, '/metrics')).text, name);
  }
}

/** Sends its requests on one connection while the server keeps that open, and then on another one. */
export class KeptConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {}

  /** Returns the id of the request. The log contains it with the process that answered. */
  ask(path = '/api/v1/tags'): Promise<string> {
    const headers = { 'X-API-Key': this.key };
    return new Promise((resolve, reject) => {
      request(`${this.address}${path}`, { agent: this.#agent, headers }, async (answer) => {
        try {
          await answer.toArray();
          expect(answer.statusCode).to.equal(200);
          resolve(String(answer.headers['x-request-id']));
        } catch (error) {
          reject(error);
        }
      })
        .on('error', reject)
        .end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Several of these connections, which send requests without a pause. */
export class SteadyClients {
  /** The errors of the requests that failed. */
  readonly failures: Error[] = [];
  answered = 0;
  #isOver = false;
  readonly #clients: readonly KeptConnection[];
  readonly #done: Promise<unknown>;

  constructor(clients: readonly KeptConnection[]) {
    this.#clients = clients;
    this.#done = Promise.all(clients.map((client) => this.#sendRequests(client)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
    for (const client of this.#clients) client.close();
  }

  async #sendRequests(client: KeptConnection): Promise<void> {
    while (!this.#isOver) {
      await client.ask().then(
        () => this.answered++,
        (error) => this.failures.push(error),
      );
      await pause(BETWEEN_MS);
    }
  }
}
