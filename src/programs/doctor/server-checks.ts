import { isBehindPooler } from '../../adapters/postgres/inspect/is-behind-pooler.js';
import { serverFacts } from '../../adapters/postgres/inspect/server-facts.js';
import { CHANGE_ENCODING, NEEDED_ENCODING } from '../../adapters/postgres/migrations/needed-encoding.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { clockSkew } from './clock-skew.js';
import { failure, type HealthCheck, ok, warning } from './health-check.js';

const MIN_MAJOR_VERSION = 14;

/** Whether the database can be reached. */
export function connectionCheck(name: string, variable: string, probe: DatabaseProbe): HealthCheck {
  return {
    name,
    ifItFails: `check that the server runs and accepts connections from here, and that ${variable} is correct`,
    run: async () => {
      const { version } = await probe.query(serverFacts);
      return ok(`PostgreSQL ${version} answers`);
    },
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

/** The checks for every PostgreSQL. */
export function serverChecks(name: string, probe: DatabaseProbe, clock: Clock): readonly HealthCheck[] {
  return [
    {
      name: `${name}: version`,
      ifItFails: `see ${name}`,
      run: async () => {
        const { version, majorVersion } = await probe.query(serverFacts);
        if (majorVersion >= MIN_MAJOR_VERSION) return ok(version);
        return failure(version, `upgrade PostgreSQL to ${MIN_MAJOR_VERSION} or later`);
      },
    },
    {
      name: `${name}: encoding`,
      ifItFails: `see ${name}`,
      run: async () => {
        const { encoding } = await probe.query(serverFacts);
        return encoding === NEEDED_ENCODING ? ok(encoding) : failure(encoding, CHANGE_ENCODING);
      },
    },
    {
      name: `${name}: clock`,
      ifItFails: `see ${name}`,
      run: () => clockSkew(clock, async () => (await probe.query(serverFacts)).clockMs),
    },
  ];
}
