import type { Knex } from 'knex';
import { type DashboardMapping, presentSelects, type SourceName } from '../mapping/dashboard-mapping.js';

/** The problem of a select whose rows change without a change of a table. */
export function changesByItself(source: SourceName, what: string): string {
  return (
    `${source}: the select uses ${what}, whose value changes without a change of a table, so the worker would not notice when a row comes or ` +
    'goes; have the dashboard, or a job that runs regularly, set a status when the time comes, and map that status'
  );
}

/** The problem of a function which the database may not assume to depend on its arguments and on tables only. */
export function mayChangeByItself(source: SourceName, name: string, remedy: string): string {
  return `${source}: the select calls ${name}, ${remedy}; if it reads the clock, map a status that somebody or something sets instead`;
}

/** Refuses a mapping whose rows change by themselves. Asks the database until it has accepted each select once. */
export class TimelessSelects {
  readonly #accepted = new Set<SourceName>();

  constructor(
    private readonly mapping: DashboardMapping,
    private readonly problemsIn: (
      database: Knex,
      source: SourceName,
      select: string,
    ) => Promise<readonly string[]>,
  ) {}

  /** A select that fails or is locked is asked about again, and does not stop the others: that is reported elsewhere. */
  async require(database: Knex): Promise<void> {
    for (const { name, select } of presentSelects(this.mapping)) {
      if (this.#accepted.has(name)) continue;
      const problems = await this.problemsIn(database, name, select).catch(() => null);
      if (problems === null) continue;
      if (problems.length > 0) throw new Error(`The mapping (DASHBOARD_MAPPING): ${problems.join('; ')}`);
      this.#accepted.add(name);
    }
  }
}
