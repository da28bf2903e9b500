import { setTimeout as pause } from 'node:timers/promises';
import type { DashboardTraffic } from './dashboard-traffic.js';
import type { Findings } from './findings.js';
import type { ApiCaller, ObservedApi } from './observed-api.js';

const ASK_EVERY_MS = 30;
const USES = 4;
const ASKS_AFTER_REFUSAL = 10;

/** Gets a key, uses it with all processes, has it revoked, tries it further, and begins anew. */
export class KeyHolder {
  readonly #revoked: ApiCaller[] = [];

  private constructor(
    private readonly apis: readonly ObservedApi[],
    private readonly dashboard: DashboardTraffic,
    private readonly findings: Findings,
    /** Known to all by the time that it is used. */
    private next: ApiCaller,
  ) {}

  static async of(
    organizationId: string,
    apis: readonly ObservedApi[],
    dashboard: DashboardTraffic,
    findings: Findings,
  ): Promise<KeyHolder> {
    return new KeyHolder(apis, dashboard, findings, await dashboard.createKey(organizationId));
  }

  /** Those of its keys that were revoked since this was asked last. */
  takeRevoked(): readonly ApiCaller[] {
    return this.#revoked.splice(0);
  }

  async hold(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const life = new KeyLife(this.next, this.apis, this.findings);
      this.next = await this.dashboard.createKey(this.next.organizationId);
      await life.ask(() => stopping.aborted || life.isAdmittedByAll);
      await life.askSoOften(USES, stopping);
      if (stopping.aborted) return;
      await this.dashboard.revoke(life.caller.key, () => life.beginRevocation());
      this.#revoked.push(life.caller);
      await life.ask(() => stopping.aborted || life.isRefusedByAll);
      await life.askSoOften(ASKS_AFTER_REFUSAL, stopping);
    }
  }
}

/** Unknown at first, then let in, then refused: each process may take its time for each, and never goes back. */
class KeyLife {
  readonly #admittedBy = new Set<ObservedApi>();
  readonly #refusedBy = new Set<ObservedApi>();
  #revocationBegan = false;

  constructor(
    readonly caller: ApiCaller,
    private readonly apis: readonly ObservedApi[],
    private readonly findings: Findings,
  ) {}

  get isAdmittedByAll(): boolean {
    return this.#admittedBy.size === this.apis.length;
  }

  get isRefusedByAll(): boolean {
    return this.#refusedBy.size === this.apis.length;
  }

  beginRevocation(): void {
    this.#revocationBegan = true;
  }

  async ask(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      for (const api of this.apis) await this.#askOne(api);
    }
  }

  async askSoOften(times: number, stopping: AbortSignal): Promise<void> {
    let asked = 0;
    await this.ask(() => stopping.aborted || asked++ === times);
  }

  async #askOne(api: ObservedApi): Promise<void> {
    await pause(ASK_EVERY_MS);
    const answer = await api.get(this.caller, '/api/v1/blogs');
    if (answer?.status === 200) this.#noteAdmission(api);
    else if (answer?.status === 401) this.#noteRefusal(api);
    else if (answer !== null)
      this.findings.add(`${api.name} answered the holder of a key with ${answer.status}`);
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
