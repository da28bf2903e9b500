import type { MappingFindings } from './mapping-findings.js';

/** Prints warnings about slow selects. Throws if there are errors, one per line, before anything is created. */
export function requireValidMapping(
  { errors, warnings }: MappingFindings,
  print: (text: string) => void,
): void {
  for (const warning of warnings) print(`Mapping: ${warning}.`);
  if (errors.length === 0) return;
  throw new Error(
    `The mapping (DASHBOARD_MAPPING) does not fit the dashboard's database (WRITE_DATABASE_URL), so nothing was created in it:\n${errors
      .map((error) => `  ${error}`)
      .join('\n')}`,
  );
}
