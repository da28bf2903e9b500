import type { Examined } from '../../domain/model/finding.js';

export interface CheckResult {
  readonly status: 'ok' | 'degraded' | 'failed';
  readonly reason?: string;
  readonly advice?: string;
}

export interface ReadinessReport {
  readonly status: 'starting' | 'ready' | 'degraded' | 'not ready' | 'draining';
  readonly checks: Readonly<Record<string, CheckResult>>;
  /** Ports that extensions replace, and the extension of each; missing if there are none. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Whether requests should be sent here: the state of the program and of its dependencies. */
export class Readiness {
  #state: 'starting' | 'running' | 'draining' = 'starting';
  #underway: Promise<ReadinessReport> | null = null;

  constructor(
    private readonly examine: () => Promise<readonly Examined[]>,
    private readonly replaced: Readonly<Record<string, string>> = {},
  ) {}

  started(): void {
    this.#state = 'running';
  }

  drain(): void {
    this.#state = 'draining';
  }

  /** Concurrent calls share one report, so that many probes cost no more than one. */
  report(): Promise<ReadinessReport> {
    this.#underway ??= this.#report().finally(() => {
      this.#underway = null;
    });
    return this.#underway;
  }

  async #report(): Promise<ReadinessReport> {
    const replaced = Object.keys(this.replaced).length === 0 ? {} : { replaced: this.replaced };
    if (this.#state !== 'running') return { status: this.#state, checks: {}, ...replaced };
    const results = (await this.examine()).map((examined) => [examined[0].name, resultOf(examined)] as const);
    return {
      status: this.#statusOf(results.map(([, { status }]) => status)),
      checks: Object.fromEntries(results),
      ...replaced,
    };
  }

  #statusOf(results: readonly CheckResult['status'][]): ReadinessReport['status'] {
    if (this.#state !== 'running') return this.#state;
    if (results.includes('failed')) return 'not ready';
    return results.includes('degraded') ? 'degraded' : 'ready';
  }
}

function resultOf([{ isNeeded }, { outcome, message, advice }]: Examined): CheckResult {
  if (outcome === 'ok') return { status: 'ok' };
  const status = outcome === 'failure' && isNeeded ? 'failed' : 'degraded';
  return { status, reason: message, ...(advice !== null && { advice }) };
}
