import type { MappingFindings } from '../../adapters/dashboard/mapping/mapping-findings.js';
import { failure, type HealthCheck, ok, warning } from './health-check.js';

/** The check reads the ids of all rows. */
export const MAPPING_TIMEOUT_MS = 60_000;

/** Whether a mapping matches the current tables. */
export function mappingCheck(check: () => Promise<MappingFindings>): HealthCheck {
  return {
    name: 'dashboard: mapping',
    ifItFails: 'run `npm run migrate`, which has no time limit',
    run: async () => {
      const { errors, warnings } = await check();
      if (errors.length > 0) {
        return failure(
          errors.join('; '),
          'correct the file of DASHBOARD_MAPPING, then run `npm run migrate`',
        );
      }
      if (warnings.length === 0) return ok('fits the tables');
      return warning(warnings.join('; '), 'docs/dashboards.md explains each of them');
    },
  };
}
