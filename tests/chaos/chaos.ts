import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../support/dashboard.js';
import { Gate } from '../support/gate.js';
import type { RedisMachine } from '../support/redis-machine.js';
import { DashboardTraffic, START_OF_HELD_KEY } from './dashboard-traffic.js';
import type { FaultPlan } from './fault-plan.js';
import { Findings } from './findings.js';
import { GreedyClient } from './greedy-client.js';
import { Installation, LIMIT } from './installation.js';
import { KeyHolder } from './key-holder.js';
import { Mending } from './mending.js';
import { Reader } from './reader.js';
import { Troubles } from './troubles.js';

/** As the dashboard of the tests makes them. */
const START_OF_KEY = 'secret-key-of';
const TENANTS = 8;
const HOLDERS = 3;
const STARTED_WITHIN_MS = 15_000;
const MENDED_WITHIN_MS = 5_000;
const TROUBLES_TOLD = 30;

/** An installation under load that breaks in rounds, and is mended after each. What must never happen goes to the findings. */
export class Chaos {
  readonly #load = new AbortController();
  readonly #greedy: GreedyClient;
  readonly #mending: Mending;
  #loaded: Promise<unknown> = Promise.resolve();
  #revocations = 0;

  private constructor(
    readonly installation: Installation,
    private readonly tenants: readonly Tenant[],
    private readonly traffic: DashboardTraffic,
    private readonly holders: readonly KeyHolder[],
    private readonly troubles: Troubles,
    private readonly findings: Findings,
  ) {
    const { apis, dashboard } = installation;
    this.#greedy = new GreedyClient(apis, dashboard.tenant(), LIMIT, troubles, findings);
    this.#mending = new Mending(dashboard, apis, tenants, traffic);
  }

  static async begin(machine: RedisMachine): Promise<Chaos> {
    const [troubles, findings] = [new Troubles(), new Findings()];
    // The greedy client has one to itself.
    const installation = await Installation.build(machine, TENANTS + 1, troubles, findings);
    const { dashboard } = installation;
    const tenants = Array.from({ length: TENANTS }, () => dashboard.tenant());
    const traffic = await DashboardTraffic.begin(dashboard, tenants);
    const holders = await Promise.all(
      tenants
        .slice(0, HOLDERS)
        .map(({ organizationId }) => KeyHolder.of(organizationId, installation.apis, traffic, findings)),
    );
    const chaos = new Chaos(installation, tenants, traffic, holders, troubles, findings);
    try {
      await chaos.#mending.expectAll([], STARTED_WITHIN_MS);
    } catch (error) {
      await chaos.end();
      throw new Error(['It does not come to work', ...findings.all].join('\n'), { cause: error });
    }
    chaos.#begin();
    return chaos;
  }

  /** Answers what was found, a line each; nothing if all is well. */
  async round(plan: FaultPlan, lengthMs: number): Promise<readonly string[]> {
    const over = AbortSignal.timeout(lengthMs);
    await Promise.all(Object.keys(plan).map((part) => this.#suffer(part, plan, over)));
    await this.#mend();
    this.#greedy.judge();
    this.#searchLogs();
    const { all } = this.findings;
    return all.length === 0 ? [] : [...all, 'What was broken:', this.troubles.latest(TROUBLES_TOLD)];
  }

  /** How much of it there was: invariants that nothing puts to the test hold as well. */
  figures() {
    const statuses = this.installation.apis.map((api) => Object.fromEntries(api.statuses));
    return {
      statuses,
      revocations: this.#revocations,
      faults: this.troubles.count,
      windows: this.#greedy.windowsJudged,
    };
  }

  async end(): Promise<void> {
    this.#load.abort();
    await this.#loaded;
    await Promise.all([this.#mending.close(), this.traffic.end()]);
    await this.installation.tearDown();
  }

  #begin(): void {
    const { signal } = this.#load;
    const readers = this.tenants.flatMap((tenant, n) => {
      const stranger = this.tenants[(n + 1) % this.tenants.length] ?? tenant;
      return this.installation.apis.map((api) => new Reader(api, tenant, stranger, this.findings));
    });
    this.#loaded = Promise.all([
      this.traffic.edit(signal),
      this.#greedy.ask(signal),
      ...readers.map((reader) => reader.read(signal)),
      ...this.holders.map((holder) => holder.hold(signal)),
    ]);
  }

  async #suffer(part: string, plan: FaultPlan, over: AbortSignal): Promise<void> {
    for (const { afterMs, fault, lastsMs } of plan[part] ?? []) {
      await until(over, afterMs);
      if (over.aborted) return;
      const trouble = this.troubles.begin(part, fault);
      await this.installation.parts[part]?.[fault]?.begin();
      await until(over, lastsMs);
      await this.installation.parts[part]?.[fault]?.end();
      this.troubles.end(trouble);
    }
  }

  async #mend(): Promise<void> {
    const rest = new Gate();
    this.traffic.restUntil(rest.wait());
    const revoked = this.holders.flatMap((holder) => holder.takeRevoked());
    this.#revocations += revoked.length;
    try {
      await this.#mending.expectAll(revoked, MENDED_WITHIN_MS);
    } catch (error) {
      this.findings.add(`not mended after ${MENDED_WITHIN_MS} ms: ${String(error)}`);
    } finally {
      rest.open();
    }
  }

  #searchLogs(): void {
    const logs = this.installation.takeLogs();
    const secrets = [...this.installation.passwords, START_OF_KEY, START_OF_HELD_KEY];
    for (const secret of secrets) {
      if (logs.includes(secret)) this.findings.add(`a log has the secret ${secret}`);
    }
  }
}

async function until(over: AbortSignal, milliseconds: number): Promise<void> {
  await pause(milliseconds, undefined, { signal: over }).catch(() => {});
}
