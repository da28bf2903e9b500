import { setTimeout as pause } from 'node:timers/promises';
import { Gate } from '../../support/clock/gate.js';
import type { RedisMachine } from '../../support/redis/redis-machine.js';
import { DashboardTraffic, START_OF_HELD_KEY } from './dashboard-traffic.js';
import type { FaultPlan, Faults } from './fault-plan.js';
import { FreshReader } from './fresh-reader.js';
import { GreedyClient } from './greedy-client.js';
import { Installation } from './installation.js';
import { KeyHolder } from './key-holder.js';
import { Reader } from './reader.js';
import { Recovery } from './recovery.js';
import type { RedisKind } from './redis-servers.js';
import { RedisWatch } from './redis-watch.js';
import { StallWatch } from './stall-watch.js';
import { Findings, Troubles } from './troubles.js';

/** The prefix of the keys that the dashboard of the tests creates. */
const START_OF_KEY = 'secret-key-of';
const TENANTS = 6;
const HOLDERS = 2;
/** The greedy client and the fresh reader have their own. */
const OTHER_TENANTS = 2;
const STARTED_WITHIN_MS = 120_000;
/** Chosen for the slowest computer: what does not recover without help stays broken for minutes or hours. */
const RECOVERED_WITHIN_MS = 60_000;
const TROUBLES_SHOWN = 120;
const ERRORS_SHOWN = 20;

/** What the clients share. */
export interface Company {
  readonly installation: Installation;
  readonly traffic: DashboardTraffic;
  readonly troubles: Troubles;
  readonly findings: Findings;
}

/** A user of the installation who checks invariants until it is stopped. It never rejects. */
interface Client {
  use(stopping: AbortSignal): Promise<void>;
}

interface Clients {
  readonly greedy: GreedyClient;
  readonly fresh: FreshReader;
  readonly holders: readonly KeyHolder[];
  readonly others: readonly Client[];
}

/**
 * An installation under load. Its parts fail in rounds, and it recovers after each. Violated invariants are added to
 * the findings.
 */
export class Chaos {
  readonly #load = new AbortController();
  #loaded: Promise<unknown> = Promise.resolve();
  #revocations = 0;

  private constructor(
    private readonly company: Company,
    private readonly clients: Clients,
    private readonly recovery: Recovery,
  ) {}

  /** `promptMs` is how long an edit, and the return to Redis, may take while no other part than Redis fails. */
  static async begin(machine: RedisMachine, redis: RedisKind, promptMs: number): Promise<Chaos> {
    const [troubles, findings] = [new Troubles(), new Findings()];
    const installation = await Installation.start(
      machine,
      redis,
      TENANTS + OTHER_TENANTS,
      troubles,
      findings,
    );
    const { apis, dashboard } = installation;
    const tenants = Array.from({ length: TENANTS }, () => dashboard.tenant());
    const traffic = await DashboardTraffic.begin(dashboard.writeDatabaseUrl, tenants);
    const company = { installation, traffic, troubles, findings };
    const readers = tenants.flatMap((tenant, n) => {
      const otherTenant = tenants[(n + 1) % tenants.length] ?? tenant;
      return apis.map((api) => new Reader(api, tenant, otherTenant, findings));
    });
    const holders = await Promise.all(
      tenants.slice(0, HOLDERS).map(({ organizationId }) => KeyHolder.of(organizationId, company)),
    );
    const clients = {
      greedy: new GreedyClient(apis, dashboard.tenant(), troubles, findings),
      fresh: new FreshReader(company, dashboard.tenant(), promptMs),
      holders,
      others: [
        ...readers,
        new RedisWatch(company, promptMs),
        new StallWatch(dashboard.readDatabaseUrl, troubles),
      ],
    };
    const chaos = new Chaos(company, clients, new Recovery(company, tenants));
    try {
      await chaos.recovery.expectAll([], STARTED_WITHIN_MS);
    } catch (error) {
      await chaos.end();
      throw new Error(['The installation does not become ready', ...findings.all].join('\n'), {
        cause: error,
      });
    }
    chaos.#begin();
    return chaos;
  }

  /** Every part that can fail. */
  get parts(): Readonly<Record<string, Faults>> {
    return this.company.installation.parts;
  }

  /** Returns the findings, a line each; an empty list if all is well. */
  async round(plan: FaultPlan, lengthMs: number): Promise<readonly string[]> {
    const over = AbortSignal.timeout(lengthMs);
    const suffered = Object.keys(plan).map((part) => this.#suffer(part, plan, over));
    await Promise.all([until(over, lengthMs), ...suffered]);
    await this.#recover();
    for (const api of this.company.installation.apis) api.judge();
    this.clients.greedy.judge();
    const errors = this.#searchLogs();
    const { all } = this.company.findings;
    if (all.length === 0) return [];
    return [...all, 'Faults:', this.company.troubles.latest(TROUBLES_SHOWN), 'Errors:', ...errors];
  }

  /** How much was tested: an invariant also holds if nothing tests it. */
  figures() {
    const { apis } = this.company.installation;
    return {
      statuses: apis.map((api) => Object.fromEntries(api.statuses)),
      excused: apis.map(({ excused }) => excused),
      revocations: this.#revocations,
      faults: this.company.troubles.count,
      windows: this.clients.greedy.windowsJudged,
      edits: this.clients.fresh.edits,
    };
  }

  async end(): Promise<void> {
    this.#load.abort();
    await this.#loaded;
    await Promise.all([this.recovery.close(), this.company.traffic.end()]);
    await this.company.installation.tearDown();
  }

  #begin(): void {
    const { signal } = this.#load;
    const { installation, traffic } = this.company;
    for (const api of installation.apis) api.forgetFailures();
    const { greedy, fresh, holders, others } = this.clients;
    this.#loaded = Promise.all([
      traffic.edit(signal),
      ...[greedy, fresh, ...holders, ...others].map((client: Client) => client.use(signal)),
    ]);
  }

  async #suffer(part: string, plan: FaultPlan, over: AbortSignal): Promise<void> {
    for (const { afterMs, fault, lastsMs } of plan[part] ?? []) {
      await until(over, afterMs);
      if (over.aborted) return;
      const trouble = this.company.troubles.begin(part, fault);
      await this.parts[part]?.[fault]?.begin();
      await until(over, lastsMs);
      await this.parts[part]?.[fault]?.end();
      this.company.troubles.end(trouble);
    }
  }

  async #recover(): Promise<void> {
    const rest = new Gate();
    this.company.traffic.restUntil(rest.wait());
    const revoked = this.clients.holders.flatMap((holder) => holder.takeRevoked());
    this.#revocations += revoked.length;
    try {
      await this.recovery.expectAll(revoked, RECOVERED_WITHIN_MS);
    } catch (error) {
      this.company.findings.add(`not recovered after ${RECOVERED_WITHIN_MS} ms: ${String(error)}`);
    } finally {
      rest.open();
    }
  }

  /** Returns the last errors. */
  #searchLogs(): readonly string[] {
    const logs = this.company.installation.takeLogs();
    for (const secret of [...this.company.installation.passwords, START_OF_KEY, START_OF_HELD_KEY]) {
      if (logs.includes(secret)) this.company.findings.add(`a log has the secret ${secret}`);
    }
    const errors = logs.split('\n').filter((line) => line.startsWith('{"level":50'));
    return errors.slice(-ERRORS_SHOWN);
  }
}

async function until(over: AbortSignal, milliseconds: number): Promise<void> {
  await pause(milliseconds, undefined, { signal: over }).catch(() => {});
}
