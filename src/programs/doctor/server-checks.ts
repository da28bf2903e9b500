import { isBehindPooler } from '../../adapters/postgres/connection/open-database.js';
import { serverFacts } from '../../adapters/postgres/inspect/server-facts.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { check, failure, type HealthCheck, ok, skewCheck, type Verdict, warning } from './health-check.js';

const OLDEST = { PostgreSQL: '14', MariaDB: '10.6', MySQL: '8.0' } as const;

/** What the checks of every server need to know of it. */
interface Server {
  readonly product: keyof typeof OLDEST;
  readonly version: string;
  readonly clockMs: number;
}

/** Whether the database can be reached. */
export function connectionCheck(name: string, variable: string, server: () => Promise<Server>): HealthCheck {
  const advice = `check that the server runs and accepts connections from here, and that ${variable} is correct`;
  return check(name, advice, server, ({ product, version }) => ok(`${product} ${version} answers`));
}

export function versionCheck(name: string, server: () => Promise<Server>): HealthCheck {
  return check(`${name}: version`, `see ${name}`, server, versionVerdict);
}

export function clockCheck(name: string, clock: Clock, server: () => Promise<Server>): HealthCheck {
  return skewCheck(name, clock, async () => (await server()).clockMs);
}

/** The checks for every PostgreSQL. */
export function serverChecks(name: string, probe: DatabaseProbe, clock: Clock): readonly HealthCheck[] {
  const server = postgresServer(probe);
  return [versionCheck(name, server), clockCheck(name, clock, server)];
}

/** For the sync worker, which uses session-level locks and settings. */
export function directConnectionCheck(name: string, variable: string, probe: DatabaseProbe): HealthCheck {
  return check(
    `${name}: direct connection`,
    `see ${name}`,
    () => probe.query(isBehindPooler),
    (isBehind) =>
      isBehind
        ? warning(
            'a pooler is in between, and the sync worker needs its own sessions',
            `set ${variable} to the server itself, or run the pooler in session mode`,
          )
        : ok('no pooler in between'),
  );
}

export function postgresServer(probe: DatabaseProbe): () => Promise<Server> {
  return async () => ({ ...(await probe.query(serverFacts)), product: 'PostgreSQL' });
}

function versionVerdict({ product, version }: Server): Verdict {
  const [major, minor] = numbersIn(version);
  const [oldestMajor, oldestMinor] = numbersIn(OLDEST[product]);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(version);
  return failure(version, `upgrade ${product} to ${OLDEST[product]} or later`);
}

function numbersIn(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return [major, minor];
}
