import { isBehindPooler } from '../../adapters/postgres/connection/open-database.js';
import { serverFacts } from '../../adapters/postgres/inspect/server-facts.js';
import { CHANGE_ENCODING, NEEDED_ENCODING } from '../../adapters/postgres/migrations/migrate-database.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { clockSkew } from './clock-skew.js';
import { failure, type HealthCheck, ok, warning } from './health-check.js';

const OLDEST = { PostgreSQL: '14', MariaDB: '10.6', MySQL: '8.0' } as const;

/** What the checks of every server need to know of it. */
interface Server {
  readonly product: keyof typeof OLDEST;
  readonly version: string;
  readonly clockMs: number;
}

function numbersIn(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return [major, minor];
}

/** Whether the database can be reached. */
export function connectionCheck(name: string, variable: string, server: () => Promise<Server>): HealthCheck {
  return {
    name,
    ifItFails: `check that the server runs and accepts connections from here, and that ${variable} is correct`,
    run: async () => {
      const { product, version } = await server();
      return ok(`${product} ${version} answers`);
    },
  };
}

export function versionCheck(name: string, server: () => Promise<Server>): HealthCheck {
  return {
    name: `${name}: version`,
    ifItFails: `see ${name}`,
    run: async () => {
      const { product, version } = await server();
      const [major, minor] = numbersIn(version);
      const [oldestMajor, oldestMinor] = numbersIn(OLDEST[product]);
      if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(version);
      return failure(version, `upgrade ${product} to ${OLDEST[product]} or later`);
    },
  };
}

export function clockCheck(name: string, clock: Clock, server: () => Promise<Server>): HealthCheck {
  return {
    name: `${name}: clock`,
    ifItFails: `see ${name}`,
    run: () => clockSkew(clock, async () => (await server()).clockMs),
  };
}

/** For the sync worker, which uses session-level locks and settings. */
export function directConnectionCheck(name: string, variable: string, probe: DatabaseProbe): HealthCheck {
  return {
    name: `${name}: direct connection`,
    ifItFails: `see ${name}`,
    run: async () => {
      if (!(await probe.query(isBehindPooler))) return ok('no pooler in between');
      return warning(
        'a pooler is in between, and the sync worker needs its own sessions',
        `set ${variable} to the server itself, or run the pooler in session mode`,
      );
    },
  };
}

export function postgresServer(probe: DatabaseProbe): () => Promise<Server> {
  return async () => ({ ...(await probe.query(serverFacts)), product: 'PostgreSQL' });
}

/** The checks for every PostgreSQL. */
export function serverChecks(name: string, probe: DatabaseProbe, clock: Clock): readonly HealthCheck[] {
  const server = postgresServer(probe);
  return [
    versionCheck(name, server),
    {
      name: `${name}: encoding`,
      ifItFails: `see ${name}`,
      run: async () => {
        const { encoding } = await probe.query(serverFacts);
        return encoding === NEEDED_ENCODING ? ok(encoding) : failure(encoding, CHANGE_ENCODING);
      },
    },
    clockCheck(name, clock, server),
  ];
}
