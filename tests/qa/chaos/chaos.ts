import { setTimeout as pause } from 'node:timers/promises';
import { Gate } from '../../support/clock/gate.js';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import type { DashboardDatabase } from './dashboard-database.js';
import { DashboardTraffic, START_OF_HELD_KEY } from './dashboard-traffic.js';
import type { FaultPlan, Faults } from './fault-plan.js';
import { Findings } from './findings.js';
import { GreedyClient } from './greedy-client.js';
import { Installation } from './installation.js';
import { KeyHolder } from './key-holder.js';
import { openDashboard } from './open-dashboard.js';
import { Reader } from './reader.js';
import { Recovery } from './recovery.js';
import { StallWatch } from './stall-watch.js';
import type { Surroundings } from './surroundings.js';
import { Troubles } from './troubles.js';

/** The prefix of the keys that the dashboard of the tests creates. */
const START_OF_KEY = 'secret-key-of';
const TENANTS = 8;
const HOLDERS = 3;
/** The greedy client has its own. */
export const TENANTS_NEEDED = TENANTS + 1;
const STARTED_WITHIN_MS = 120_000;
/** Chosen for the slowest computer: what does not recover without help stays broken for minutes or hours. */
const RECOVERED_WITHIN_MS = 60_000;
const TROUBLES_SHOWN = 120;
const ERRORS_SHOWN = 8;
const SHORTLY_MS = 5_000;
const WARNINGS_SHOWN = 60;

/** A user of an installation who checks invariants. */
export interface Client {
  /** Never rejects. */
  use(stopping: AbortSignal): Promise<void>;
}

export interface Company {
  readonly installation: Installation;
  readonly traffic: DashboardTraffic;
  readonly troubles: Troubles;
  readonly findings: Findings;
}

interface Circumstances {
  /** Clients in addition to the usual ones. */
  readonly clients?: (company: Company) => Promise<readonly Client[]>;
  readonly tenants?: number;
  readonly holders?: number;
}

/**
 * An installation under load. Its parts fail in rounds, and it recovers after each. Violated invariants are added to
 * the findings.
 */
export class Chaos {
  readonly #load = new AbortController();
  readonly #greedy: GreedyClient;
  readonly #recovery: Recovery;
  #loaded: Promise<unknown> = Promise.resolve();
  #revocations = 0;
  /** The number of failed requests for each cause. */
  readonly #failures = new Map<string, number>();
  #errors: readonly string[] = [];
  /** The log lines from shortly before the first finding, without those of requests. */
  #sooner: readonly string[] = [];

  private constructor(
    private readonly company: Company,
    private readonly tenants: readonly Tenant[],
    private readonly holders: readonly KeyHolder[],
    private readonly others: readonly Client[],
    private readonly database: DashboardDatabase,
  ) {
    const { installation, traffic, troubles, findings } = company;
    const { dashboard, limit } = installation.surroundings;
    this.#greedy = new GreedyClient(installation.apis, dashboard.tenant(), limit, troubles, findings);
    this.#recovery = new Recovery(installation, tenants, traffic, database);
  }

  static async begin(surroundings: Surroundings, circumstances: Circumstances = {}): Promise<Chaos> {
    const {
      clients = async () => [],
      tenants: tenantCount = TENANTS,
      holders: holderCount = HOLDERS,
    } = circumstances;
    const [troubles, findings] = [new Troubles(), new Findings()];
    const installation = await Installation.on(surroundings, troubles, findings);
    let chaos: Chaos | null = null;
    try {
      const { dashboard } = surroundings;
      const tenants = Array.from({ length: tenantCount }, () => dashboard.tenant());
      const database = await openDashboard(dashboard.writeDatabaseUrl);
      const traffic = await DashboardTraffic.begin(database, tenants);
      const company = { installation, traffic, troubles, findings };
      const holders = await Promise.all(
        tenants
          .slice(0, holderCount)
          .map(({ organizationId }) =>
            KeyHolder.of(organizationId, installation.apis, traffic, troubles, findings),
          ),
      );
      chaos = new Chaos(company, tenants, holders, await clients(company), database);
      await chaos.#recovery.expectAll([], STARTED_WITHIN_MS);
    } catch (error) {
      await (chaos === null ? installation.tearDown() : chaos.end());
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
    await this.company.installation.surroundings.settle();
    await this.#recover();
    for (const api of this.company.installation.apis) api.judge();
    this.#greedy.judge();
    this.#searchLogs();
    const { all } = this.company.findings;
    if (all.length === 0) return [];
    const broken = this.company.troubles.latest(TROUBLES_SHOWN);
    return [...all, 'Faults:', broken, 'Log lines:', ...this.#errors, ...this.#sooner];
  }

  /** How much was tested: an invariant also holds if nothing tests it. */
  figures() {
    const statuses = this.company.installation.apis.map((api) => Object.fromEntries(api.statuses));
    return {
      statuses,
      excused: this.company.installation.apis.map(({ excused }) => excused),
      failures: Object.fromEntries(this.#failures),
      revocations: this.#revocations,
      faults: this.company.troubles.count,
      windows: this.#greedy.windowsJudged,
    };
  }

  async end(): Promise<void> {
    this.#load.abort();
    await this.#loaded;
    await Promise.all([this.#recovery.close(), this.database.end()]);
    await this.company.installation.tearDown();
  }

  #begin(): void {
    const { signal } = this.#load;
    const { installation, traffic, troubles, findings } = this.company;
    for (const api of installation.apis) api.forgetFailures();
    const readers = this.tenants.flatMap((tenant, n) => {
      const otherTenant = this.tenants[(n + 1) % this.tenants.length] ?? tenant;
      return installation.apis.map((api) => new Reader(api, tenant, otherTenant, troubles, findings));
    });
    this.#loaded = Promise.all([
      traffic.edit(signal),
      this.#greedy.ask(signal),
      ...readers.map((reader) => reader.read(signal)),
      ...this.holders.map((holder) => holder.hold(signal)),
      ...this.others.map((client) => client.use(signal)),
      new StallWatch(installation.surroundings.dashboard.readDatabaseUrl, troubles).use(signal),
    ]);
  }

  async #suffer(part: string, plan: FaultPlan, over: AbortSignal): Promise<void> {
    for (const { afterMs, fault, lastsMs } of plan[part] ?? []) {
      await until(over, afterMs);
      if (over.aborted) return;
      const trouble = this.company.troubles.begin(part, fault);
      await this.company.installation.parts[part]?.[fault]?.begin();
      await until(over, lastsMs);
      await this.company.installation.parts[part]?.[fault]?.end();
      this.company.troubles.end(trouble);
    }
  }

  async #recover(): Promise<void> {
    const rest = new Gate();
    this.company.traffic.restUntil(rest.wait());
    const revoked = this.holders.flatMap((holder) => holder.takeRevoked());
    this.#revocations += revoked.length;
    try {
      await this.#recovery.expectAll(revoked, RECOVERED_WITHIN_MS);
    } catch (error) {
      this.company.findings.add(`not recovered after ${RECOVERED_WITHIN_MS} ms: ${String(error)}`);
    } finally {
      rest.open();
    }
  }

  #isShortlyBefore(line: string): boolean {
    const at = Number(/^\{"level":\d+,"time":(\d+)/.exec(line)?.[1]);
    const { firstAt } = this.company.findings;
    return firstAt !== null && at > firstAt - SHORTLY_MS && at <= firstAt && !line.includes('"requestId"');
  }

  #searchLogs(): void {
    const logs = this.company.installation.takeLogs();
    const lines = logs.split('\n');
    const errors = lines.filter((line) => line.startsWith('{"level":50'));
    for (const line of errors) {
      const cause = causeIn(line);
      if (line.includes('"requestId"')) this.#failures.set(cause, (this.#failures.get(cause) ?? 0) + 1);
    }
    this.#sooner = lines.filter((line) => this.#isShortlyBefore(line)).slice(-WARNINGS_SHOWN);
    this.#errors = [...new Map(errors.map((line) => [causeIn(line), line])).values()].slice(-ERRORS_SHOWN);
    const secrets = [...this.company.installation.passwords, START_OF_KEY, START_OF_HELD_KEY];
    for (const secret of secrets) {
      if (logs.includes(secret)) this.company.findings.add(`a log has the secret ${secret}`);
    }
  }
}

/** The message of an error in a log, the same for equal causes. */
function causeIn(line: string): string {
  return /"message":"([^"]*)"/.exec(line)?.[1] ?? line;
}

async function until(over: AbortSignal, milliseconds: number): Promise<void> {
  await pause(milliseconds, undefined, { signal: over }).catch(() => {});
}
