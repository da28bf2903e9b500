import type { Check } from '../../adapters/operations/readiness.js';
import { ConfigurationError } from '../../composition/settings/read-settings.js';

/** `/readyz` would show only one of two checks with the same name. */
export function requireDistinctNames(checks: readonly Check[]): void {
  const names = checks.map(({ name }) => name);
  const doubles = new Set(names.filter((name, index) => names.indexOf(name) < index));
  if (doubles.size === 0) return;
  throw new ConfigurationError(
    [...doubles].map((name) => `two health checks have the name ${name}: rename that of the extension`),
  );
}
