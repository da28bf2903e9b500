import { setTimeout as pause } from 'node:timers/promises';
import type { Client, Company } from '../chaos.js';
import type { KeptProgram } from '../kept-program.js';

const POLL_MS = 300;
/** The promise is two seconds; the rest is for a busy computer. */
const BACK_WITHIN_MS = 6_000;
const WITHOUT_REDIS = /^blog_read_api_limited_without_redis_total (\d+)/m;

/**
 * Checks whether each process uses Redis again soon after its address leads to an available Redis, and when one
 * counted alone.
 */
export class RedisWatch implements Client {
  readonly #awaySince = new Map<KeptProgram, number>();
  readonly #lastPolls = new Map<KeptProgram, { readonly at: number; readonly countedAlone: number }>();
  /** The longest time for which a process did not use an available Redis. */
  longestMs = 0;

  constructor(
    private readonly company: Company,
    private readonly backWithinMs = BACK_WITHIN_MS,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      await pause(POLL_MS);
      for (const { program } of this.company.installation.apis) {
        await Promise.all([this.#look(program), this.#recordWithoutRedis(program)]);
      }
    }
  }

  async #look(program: KeptProgram): Promise<void> {
    const askedAt = performance.now();
    const report = await program.readiness().catch(() => null);
    if (report === null) return;
    const isExcused = this.company.troubles.overlap('redis', askedAt, performance.now());
    if (isExcused || report.checks.redis?.status === 'ok') {
      this.#awaySince.delete(program);
      return;
    }
    const since = this.#awaySince.get(program) ?? askedAt;
    const away = askedAt - since;
    this.longestMs = Math.max(this.longestMs, away);
    if (away >= this.backWithinMs && this.#awaySince.has(program)) {
      this.company.findings.add(
        `${program.name} has been without Redis for ${away.toFixed(0)} ms, although Redis is available`,
      );
      this.#awaySince.delete(program);
      return;
    }
    this.#awaySince.set(program, since);
  }

  /**
   * On a busy computer an answer of Redis may come too late without a fault. Then the process applies its own limit.
   */
  async #recordWithoutRedis(program: KeptProgram): Promise<void> {
    const metrics = await program.metrics().catch(() => null);
    if (metrics === null) return;
    const look = { at: performance.now(), countedAlone: Number(WITHOUT_REDIS.exec(metrics)?.[1] ?? 0) };
    const last = this.#lastPolls.get(program);
    if (last !== undefined && look.countedAlone > last.countedAlone) {
      this.company.troubles.note('without redis', `${program.name} counted alone`, last.at, look.at);
    }
    this.#lastPolls.set(program, look);
  }
}
