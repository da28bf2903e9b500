import type { DashboardMapping } from '../../adapters/dashboard/mapping/dashboard-mapping.js';
import {
  type Account,
  accountOf,
  grants,
  type Right,
  type Rights,
  triedRights,
  workerRights,
} from '../../adapters/dashboard/mysql/checks/rights.js';
import type { MysqlWorkerConnection } from '../../adapters/dashboard/mysql/server.js';
import type { Probe } from '../admin/probe.js';
import { failure, type HealthCheck, ok, type Verdict, warning } from './health-check.js';

const WRITE: readonly Right[] = ['insert', 'update', 'delete'];
/** The account in the server's error message. */
const ACCOUNT = /for user ('[^']*'@'[^']*')/;

/** The doctor's findings about the rights of the worker's user on a dashboard. */
export class MysqlRights {
  constructor(
    private readonly probe: Probe<MysqlWorkerConnection['database']>,
    private readonly mapping: DashboardMapping,
  ) {}

  /** Whether the user has exactly the rights that the worker needs. */
  get check(): HealthCheck {
    return {
      name: 'dashboard: rights',
      ifItFails: 'grant what `npm run migrate -- --explain` prints',
      run: async () => {
        const account = await this.probe.query(accountOf);
        const missing = await this.#tried(workerRights(this.mapping), 'denied');
        if (!isNone(missing)) return lacking(missing, account);
        const writes = Object.fromEntries(this.mapping.captures.map(({ table }) => [table, WRITE]));
        const wider = await this.#tried(writes, 'granted');
        if (isNone(wider))
          return ok(`${account.user} has the required permissions, and cannot change the dashboard's tables`);
        return warning(
          `${account.user} may also ${described(wider)}`,
          'use a user that has only the grants that `npm run migrate -- --explain` prints',
        );
      },
    };
  }

  /** Skips a check that cannot work without these rights. */
  before(check: HealthCheck): HealthCheck {
    return {
      ...check,
      run: async () => {
        const missing = await this.#tried(workerRights(this.mapping), 'denied');
        return isNone(missing)
          ? check.run()
          : failure('it cannot be checked: permissions are missing', 'see dashboard: rights');
      },
    };
  }

  /** For a user without access to the database. Null: the error has another cause. */
  ofUnopened(error: unknown, url: string): Verdict | null {
    if ((error as { code?: string }).code !== 'ER_DBACCESS_DENIED_ERROR') return null;
    const { username, pathname } = new URL(url);
    const [, user = decodeURIComponent(username)] = ACCOUNT.exec((error as Error).message) ?? [];
    return lacking(workerRights(this.mapping), { user, database: decodeURIComponent(pathname.slice(1)) });
  }

  #tried(rights: Rights, wanted: 'granted' | 'denied'): Promise<Rights> {
    return this.probe.query((database) => triedRights(database, rights, wanted));
  }
}

function lacking(missing: Rights, { user, database }: Account): Verdict {
  const statements = grants(missing, database, user).map((grant) => `${grant};`);
  return failure(`${user} lacks ${described(missing)}`, `as an administrator, run ${statements.join(' ')}`);
}

function isNone(rights: Rights): boolean {
  return Object.keys(rights).length === 0;
}

function described(rights: Rights): string {
  return Object.entries(rights)
    .map(([object, those]) => `${those.join(', ')} on ${object}`)
    .join('; ');
}
