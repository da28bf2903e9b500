import { setTimeout as pause } from 'node:timers/promises';
import type { DashboardTraffic } from './dashboard-traffic.js';
import type { Findings } from './findings.js';
import type { ApiCaller, ObservedApi } from './observed-api.js';
import { commitsWereLost, type Troubles } from './troubles.js';

const ASK_EVERY_MS = 30;
/** After a failover each is forgotten at once, for seconds. */
const BETWEEN_LIVES_MS = 500;
const USES = 4;
const ASKS_AFTER_REFUSAL = 10;
/** So many of those that were revoked are tried again and again. */
const TRIED_FOR_EVER = 10;

/** Gets a key, uses it with all processes, has it revoked, tries it further, and begins again, still using the old ones. */
export class KeyHolder {
  readonly #revoked: ApiCaller[] = [];
  #refused: KeyLife[] = [];

  private constructor(
    private readonly apis: readonly ObservedApi[],
    private readonly dashboard: DashboardTraffic,
    private readonly troubles: Troubles,
    private readonly findings: Findings,
    /** Known to all by the time that it is used. */
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

  /** Those of its keys that were revoked since this was asked last. */
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

/** Unknown at first, then let in, then refused: each process may take its time for each, and never goes back. */
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

  /** Perhaps the dashboard itself lost this key or its revocation, or the read tables did: then it is unknown for a while what is right. */
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
