import type { Knex } from 'knex';
import type { DashboardMapping, SourceName } from '../mapping/dashboard-mapping.js';
import type { TypedColumns } from '../mapping/mapped-columns.js';
import type { Stored } from './source-tables.js';

/** Tries the SQL of a mapping. Changes nothing, although it may call functions that write. */
export class Trial {
  /** The columns of the selects that the server accepts. */
  readonly columnsOf: Partial<Record<SourceName, TypedColumns>> = {};

  constructor(
    readonly database: Knex,
    readonly mapping: DashboardMapping,
    private readonly ask: (database: Knex, statement: string) => Promise<readonly Stored[]>,
  ) {}

  attempt<Result>(run: (database: Knex) => Promise<Result>): Promise<Result> {
    return this.database.transaction(run, { readOnly: true });
  }

  /** A number may arrive as text. */
  query(statement: string): Promise<readonly Stored[]> {
    return this.attempt((database) => this.ask(database, statement));
  }
}
