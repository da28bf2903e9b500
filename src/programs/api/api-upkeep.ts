import { KEPT_CONNECTIONS, openConnections } from '../../adapters/postgres/connection/read-database.js';
import { RepeatedTask } from '../../adapters/system/repeated-task.js';
import type { Created } from '../../composition/noting-created.js';
import { TOKENS } from '../../composition/tokens.js';

/** An answer shows no generation that is a quarter of a second older than the read tables. */
const POLL_EVERY_MS = 100;
const PROBE_EVERY_MS = 500;

/** What the adapters in use need before the first request, and in the background. */
export class ApiUpkeep {
  readonly #tasks: RepeatedTask[] = [];

  constructor(private readonly created: Created) {}

  async start(): Promise<void> {
    const { container, find } = this.created;
    const breakers = [find(TOKENS.redisAnswersBreaker), find(TOKENS.redisBreaker)];
    await Promise.all([this.#openConnections(), ...breakers.map((breaker) => breaker?.connected())]);
    const replicas = find(TOKENS.replicas) ?? [];
    if (replicas.length > 0) {
      const primary = container.get(TOKENS.primaryIdentity);
      const probeAll = async () => void (await Promise.all(replicas.map((replica) => replica.probe())));
      await this.#repeat('identifying the primary of the read replicas', PROBE_EVERY_MS, () =>
        primary.refresh(),
      );
      await this.#repeat('probing the read replicas', PROBE_EVERY_MS, probeAll);
    }
    for (const [index, server] of container.get(TOKENS.polledServers).entries()) {
      const where = index === 0 ? 'the read tables' : 'a read replica';
      await this.#repeat(`reading raised generations from ${where}`, POLL_EVERY_MS, () => server.poll());
    }
  }

  async stop(): Promise<void> {
    for (const task of this.#tasks.toReversed()) await task.stop();
  }

  /** The API starts even if they cannot be opened, and while all but one are being opened. */
  async #openConnections(): Promise<void> {
    const database = this.created.find(TOKENS.readDatabase);
    if (database === null) return;
    await openConnections(database, 1).catch(() => {});
    void openConnections(database, KEPT_CONNECTIONS).catch(() => {});
  }

  async #repeat(name: string, everyMs: number, run: () => Promise<void>): Promise<void> {
    const task = new RepeatedTask(name, everyMs, run, this.created.container.get(TOKENS.log));
    this.#tasks.push(task);
    await task.start();
  }
}
