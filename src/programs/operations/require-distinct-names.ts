import type { Check } from '../../adapters/operations/readiness.js';
import { ConfigurationError } from '../../composition/read-settings.js';

/** Of two checks of one name, `/readyz` would show one. */
export function requireDistinctNames(checks: readonly Check[]): void {
  const names = checks.map(({ name }) => name);
  const doubles = new Set(names.filter((name, at) => names.indexOf(name) < at));
  if (doubles.size === 0) return;
  throw new ConfigurationError(
    [...doubles].map((name) => `two health checks have the name ${name}: rename that of the extension`),
  );
}
