/** Something that a program depends on. `run` throws if it is not in order. */
export interface Check {
  readonly name: string;
  run(): Promise<void>;
}

/** Thrown by a check of a dependency that the program can do without for a while. */
export class Degraded extends Error {
  override readonly name = 'Degraded';
}

export interface CheckResult {
  readonly status: 'ok' | 'degraded' | 'failed';
  readonly reason?: string;
}

export interface ReadinessReport {
  readonly status: 'starting' | 'ready' | 'degraded' | 'not ready' | 'draining';
  readonly checks: Readonly<Record<string, CheckResult>>;
  /** Ports that extensions replace, and the extension of each; missing if there are none. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Below one second, the default probe timeout of Kubernetes. */
const CHECK_TIMEOUT_MS = 800;

/** Whether requests should be sent here: the state of the program and of its dependencies. */
export class Readiness {
  #state: 'starting' | 'running' | 'draining' = 'starting';
  #underway: Promise<ReadinessReport> | null = null;

  constructor(
    private readonly checks: () => readonly Check[],
    private readonly replaced: Readonly<Record<string, string>> = {},
    private readonly withinMs = CHECK_TIMEOUT_MS,
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
    const results = await Promise.all(
      this.checks().map(async (check) => [check.name, await resultOf(check, this.withinMs)] as const),
    );
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

async function resultOf(check: Check, withinMs: number): Promise<CheckResult> {
  try {
    await withTimeLimit(withinMs, check.run());
    return { status: 'ok' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { status: error instanceof Degraded ? 'degraded' : 'failed', reason };
  }
}

function withTimeLimit(milliseconds: number, answer: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
