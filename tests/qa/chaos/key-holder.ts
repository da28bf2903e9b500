import { setTimeout as pause } from 'node:timers/promises';
import type { DashboardTraffic } from './dashboard-traffic.js';
import type { Findings } from './findings.js';
import type { ApiCaller, ObservedApi } from './observed-api.js';
import { commitsWereLost, type Troubles } from './troubles.js';

const ASK_EVERY_MS = 30;
/** After a failover, every key counts as forgotten for seconds. */
const BETWEEN_LIVES_MS = 500;
const USES = 4;
const ASKS_AFTER_REFUSAL = 10;
/** This many revoked keys are tried repeatedly. */
const TRIED_FOR_EVER = 10;

/**
 * Creates a key, uses it with all processes, has it revoked, tries it further, and begins again. Also tries its
 * former keys.
 */
export class KeyHolder {
  readonly #revoked: ApiCaller[] = [];
  #refused: KeyLife[] = [];

  private constructor(
    private readonly apis: readonly ObservedApi[],
    private readonly dashboard: DashboardTraffic,
    private readonly troubles: Troubles,
    private readonly findings: Findings,
    /** All processes can read it by the time that it is used. */
    private next: ApiCaller,
  ) {}

  static async of(
    organizationId: string,
    apis: readonly ObservedApi[],
    dashboard: DashboardTraffic,
    troubles: Troubles,
    findings: Findings,
  ): Promise<KeyHolder> {
    return new KeyHolder(apis, dashboard, troubles, findings, await dashboard.createKey(organizationId));
  }

  /** The keys that were revoked since the last call. */
  takeRevoked(): readonly ApiCaller[] {
    return this.#revoked.splice(0);
  }

  async hold(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const life = new KeyLife(this.next, this.apis, this.troubles, this.findings);
      this.next = await this.dashboard.createKey(this.next.organizationId);
      const isOver = () => stopping.aborted || life.isForgotten;
      await this.#use(life, () => isOver() || life.isAdmittedByAll);
      await this.#use(life, times(USES, isOver));
      if (isOver()) {
        await pause(BETWEEN_LIVES_MS);
        continue;
      }
      await this.dashboard.revoke(life.caller.key, () => life.beginRevocation());
      this.#revoked.push(life.caller);
      await this.#use(life, () => isOver() || life.isRefusedByAll);
      await this.#use(life, times(ASKS_AFTER_REFUSAL, isOver));
      this.#refused = [life, ...this.#refused].slice(0, TRIED_FOR_EVER);
    }
  }

  async #use(life: KeyLife, isEnough: () => boolean): Promise<void> {
    for (let n = 0; !isEnough(); n++) {
      this.#refused = this.#refused.filter(({ isForgotten }) => !isForgotten);
      const old = this.#refused[n % TRIED_FOR_EVER];
      for (const api of this.apis) await life.ask(api);
      for (const api of this.apis) await old?.ask(api);
    }
  }
}

function times(count: number, isOver: () => boolean): () => boolean {
  let done = 0;
  return () => isOver() || done++ === count;
}

/**
 * A key is unknown at first, then accepted, then refused. Each process may reach each state later, but never goes
 * back.
 */
class KeyLife {
  readonly #admittedBy = new Set<ObservedApi>();
  readonly #refusedBy = new Set<ObservedApi>();
  readonly #begun = performance.now();
  #revocationBegan = false;

  constructor(
    readonly caller: ApiCaller,
    private readonly apis: readonly ObservedApi[],
    private readonly troubles: Troubles,
    private readonly findings: Findings,
  ) {}

  /**
   * Whether the dashboard or the read tables may have lost this key or its revocation. Then the right answer is
   * unknown for a while.
   */
  get isForgotten(): boolean {
    return commitsWereLost(this.troubles, this.#begun, performance.now());
  }

  get isAdmittedByAll(): boolean {
    return this.#admittedBy.size === this.apis.length;
  }

  get isRefusedByAll(): boolean {
    return this.#refusedBy.size === this.apis.length;
  }

  beginRevocation(): void {
    this.#revocationBegan = true;
  }

  async ask(api: ObservedApi): Promise<void> {
    await pause(ASK_EVERY_MS);
    const answer = await api.get(this.caller, '/api/v1/blogs');
    if (answer === null || this.isForgotten) return;
    if (answer.status === 200) this.#noteAdmission(api);
    else if (answer.status === 401) this.#noteRefusal(api);
    else this.findings.add(`${api.name} answered the holder of a key with ${answer.status}`);
  }

  #noteAdmission(api: ObservedApi): void {
    if (this.#refusedBy.has(api)) this.findings.add(`${api.name} let a revoked key in that it had refused`);
    this.#admittedBy.add(api);
  }

  #noteRefusal(api: ObservedApi): void {
    if (!this.#admittedBy.has(api)) return;
    if (!this.#revocationBegan) this.findings.add(`${api.name} refused a good key that it had let in`);
    this.#refusedBy.add(api);
  }
}
