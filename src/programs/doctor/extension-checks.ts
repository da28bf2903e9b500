import type { Finding } from '../../adapters/cli/doctor-report.js';
import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { nameOfPort } from '../../composition/extensions/ports.js';
import type { ExtendedParts } from './extended-parts.js';
import { examine, type HealthCheck, ok, warning } from './health-check.js';

/** Reports the replaced ports and the results of the extensions' own checks. */
export async function examineExtensions(
  { extensions, replaced, checks }: ExtendedParts,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const loaded = extensions.map((name) => {
    const ports = [...replaced].flatMap(([token, by]) => (by === name ? [nameOfPort(token)] : []));
    const replaces =
      ports.length === 0
        ? 'replaces no port'
        : `replaces ${ports.join(', ')}: their default adapters are not checked`;
    return { check: `extension ${name}`, ...ok(replaces) };
  });
  const findings = checks.map((check) => examine(healthCheck(check, timeoutMs), []));
  return [...loaded, ...(await Promise.all(findings)).flat()];
}

function healthCheck({ name, run }: Check, timeoutMs: number): HealthCheck {
  return {
    name,
    ifItFails: 'see the documentation of the extension',
    run: async () => {
      try {
        await withTimeLimit(timeoutMs, run());
      } catch (error) {
        if (!(error instanceof Degraded)) throw error;
        return warning(error.message, 'the program continues without it');
      }
      return ok('passed');
    },
  };
}
