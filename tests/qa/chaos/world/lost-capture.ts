import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { migrate } from '../../../../src/programs/migrate/migrate.js';
import type { Company } from '../chaos.js';
import type { Fault, Faults } from '../fault-plan.js';
import type { RetryingDatabase } from '../retrying-database.js';

const REPORTED_WITHIN_MS = 60_000;
const MARGIN_MS = 15_000;
const POLL_MS = 500;

/** Another session changes the dashboard's tables so that they lose the change capture until it is repaired. */
export class LostCapture {
  #company: Company | null = null;
  #wasLost = false;

  constructor(
    private readonly database: RetryingDatabase,
    private readonly urls: { readonly readDatabaseUrl: string; readonly writeDatabaseUrl: string },
  ) {}

  get faults(): Faults {
    return {
      'triggers of blogs disabled and enabled': this.#lost(['alter table blogs disable trigger all']),
      'triggers of api_keys disabled and enabled': this.#lost(['alter table api_keys disable trigger all']),
      'api_keys renamed, and another put in its place': this.#lost(REPLACE_API_KEYS),
    };
  }

  /** What an operator does after the report. A failover of the dashboard may undo that, too. */
  async restore(): Promise<void> {
    if (!this.#wasLost) return;
    await this.#run(RESTORE_TABLES);
    await eventually(() => migrate(this.urls, () => {}));
  }

  /** Sets the installation whose reports are checked. */
  reportTo(company: Company): void {
    this.#company = company;
  }

  /** The fault ends once a worker has reported it; then the capture is restored. */
  #lost(loseIt: readonly string[]): Fault {
    return {
      begin: () => {
        this.#wasLost = true;
        return this.#run(loseIt);
      },
      end: async () => {
        await this.#expectReport(loseIt);
        await this.restore();
      },
    };
  }

  /**
   * A failover of the dashboard's database may have restored the capture, so it is removed again until it is
   * reported.
   */
  async #expectReport(loseIt: readonly string[]): Promise<void> {
    if (this.#company === null) return;
    const { installation, troubles, findings } = this.#company;
    await this.#run(loseIt);
    let since = performance.now();
    while (performance.now() < since + REPORTED_WITHIN_MS + MARGIN_MS) {
      for (const worker of installation.workers) {
        const report = await worker.readiness().catch(() => null);
        if (report?.checks.changeCapture?.status === 'degraded') return;
      }
      await pause(POLL_MS);
      const now = performance.now();
      if (!troubles.overlap(/database/, now, now, POLL_MS)) continue;
      await this.#run(loseIt);
      since = performance.now();
    }
    const reports = await Promise.all(installation.workers.map((worker) => worker.readiness().catch(String)));
    findings.add(
      `no worker reported within ${REPORTED_WITHIN_MS} ms that the change capture is gone: ${loseIt[0]}, but ${JSON.stringify(reports)}`,
    );
  }

  async #run(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.database.query(statement);
  }
}

/** What that session leaves: triggers that are enabled like others, which is not what the capture needs. */
const RESTORE_TABLES = [
  'alter table blogs enable trigger all',
  'alter table api_keys enable trigger all',
  'drop table if exists api_keys_before',
];
/**
 * One transaction, so that it is repeated as a whole or not at all. A failover may have restored the table that was
 * replaced last time.
 */
const REPLACE_API_KEYS = [
  `do $$ begin
     if not exists (select from pg_trigger where tgrelid = 'api_keys'::regclass and tgname like 'content_sync%') then return; end if;
     drop table if exists api_keys_before;
     alter table api_keys rename to api_keys_before;
     create table api_keys (like api_keys_before including all);
     insert into api_keys select * from api_keys_before;
   end $$`,
];
