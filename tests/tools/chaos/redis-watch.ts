import { setTimeout as pause } from 'node:timers/promises';
import type { Company } from './chaos.js';
import type { KeptProgram } from './kept-program.js';

const POLL_MS = 300;
const WITHOUT_REDIS = /^blog_read_api_limited_without_redis_total (\d+)/m;

/** Checks whether each process uses Redis again soon after it is available, and notes when one counted alone. */
export class RedisWatch {
  readonly #awaySince = new Map<KeptProgram, number>();
  readonly #lastPolls = new Map<KeptProgram, { readonly at: number; readonly countedAlone: number }>();

  constructor(
    private readonly company: Company,
    private readonly promptMs: number,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      await pause(POLL_MS);
      for (const { program } of this.company.installation.apis) {
        await Promise.all([this.#look(program), this.#noteWithoutRedis(program)]);
      }
    }
  }

  async #look(program: KeptProgram): Promise<void> {
    const askedAt = performance.now();
    const report = await program.readiness().catch(() => null);
    const { troubles, findings } = this.company;
    // A process uses Redis once it knows the identity of its read tables.
    const isExcused = troubles.overlap(/^(redis|read database)/, askedAt, performance.now());
    const since = this.#awaySince.get(program) ?? askedAt;
    this.#awaySince.delete(program);
    if (report === null || isExcused || report.checks.redis?.status === 'ok') return;
    const away = askedAt - since;
    if (away < this.promptMs) this.#awaySince.set(program, since);
    else
      findings.add(
        `${program.name} has been without Redis for ${away.toFixed(0)} ms, although it is available`,
      );
  }

  /**
   * On a busy computer an answer of Redis may come too late without a fault. Then the process applies its own limit.
   */
  async #noteWithoutRedis(program: KeptProgram): Promise<void> {
    const metrics = await program.metrics().catch(() => null);
    if (metrics === null) return;
    const poll = { at: performance.now(), countedAlone: Number(WITHOUT_REDIS.exec(metrics)?.[1] ?? 0) };
    const last = this.#lastPolls.get(program);
    if (last !== undefined && poll.countedAlone > last.countedAlone) {
      this.company.troubles.note('without redis', `${program.name} counted alone`, last.at, poll.at);
    }
    this.#lastPolls.set(program, poll);
  }
}
