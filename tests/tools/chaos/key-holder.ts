import { setTimeout as pause } from 'node:timers/promises';
import type { Company } from './chaos.js';
import type { ApiCaller, ObservedApi } from './observed-api.js';
import type { Findings } from './troubles.js';

const ASK_EVERY_MS = 30;
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
    private readonly company: Company,
    /** All processes can read it by the time that it is used. */
    private next: ApiCaller,
  ) {}

  static async of(organizationId: string, company: Company): Promise<KeyHolder> {
    return new KeyHolder(company, await company.traffic.createKey(organizationId));
  }

  /** The keys that were revoked since the last call. */
  takeRevoked(): readonly ApiCaller[] {
    return this.#revoked.splice(0);
  }

  async use(stopping: AbortSignal): Promise<void> {
    const { installation, traffic, findings } = this.company;
    while (!stopping.aborted) {
      const life = new KeyLife(this.next, installation.apis.length, findings);
      this.next = await traffic.createKey(this.next.organizationId);
      await this.#ask(life, () => stopping.aborted || life.isAdmittedByAll);
      await this.#ask(life, times(USES, stopping));
      await traffic.revoke(life.caller.key, () => life.beginRevocation());
      this.#revoked.push(life.caller);
      await this.#ask(life, () => stopping.aborted || life.isRefusedByAll);
      await this.#ask(life, times(ASKS_AFTER_REFUSAL, stopping));
      this.#refused = [life, ...this.#refused].slice(0, TRIED_FOR_EVER);
    }
  }

  async #ask(life: KeyLife, isEnough: () => boolean): Promise<void> {
    const { apis } = this.company.installation;
    for (let n = 0; !isEnough(); n++) {
      for (const api of apis) await life.ask(api);
      for (const api of apis) await this.#refused[n % TRIED_FOR_EVER]?.ask(api);
    }
  }
}

function times(count: number, stopping: AbortSignal): () => boolean {
  let done = 0;
  return () => stopping.aborted || done++ === count;
}

/**
 * A key is unknown at first, then accepted, then refused. Each process may reach each state later, but never goes
 * back.
 */
class KeyLife {
  readonly #admittedBy = new Set<ObservedApi>();
  readonly #refusedBy = new Set<ObservedApi>();
  #revocationBegan = false;

  constructor(
    readonly caller: ApiCaller,
    private readonly apis: number,
    private readonly findings: Findings,
  ) {}

  get isAdmittedByAll(): boolean {
    return this.#admittedBy.size === this.apis;
  }

  get isRefusedByAll(): boolean {
    return this.#refusedBy.size === this.apis;
  }

  beginRevocation(): void {
    this.#revocationBegan = true;
  }

  async ask(api: ObservedApi): Promise<void> {
    await pause(ASK_EVERY_MS);
    const answer = await api.get(this.caller, '/api/v1/blogs');
    if (answer === null) return;
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
