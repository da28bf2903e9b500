/** `missing`: captured tables that the database lacks, or that its user may not see. */
export function requireTables(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new Error(
    `The dashboard's database (WRITE_DATABASE_URL) has no table ${missing.join(', ')}, or its user may not see it. ` +
      'Is it the right database? For other tables set DASHBOARD_MAPPING; for a demo, `npm run dashboard:migrate` creates them.',
  );
}

export function requireCapture(isInstalled: boolean): void {
  if (isInstalled) return;
  throw new Error(
    "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
  );
}
