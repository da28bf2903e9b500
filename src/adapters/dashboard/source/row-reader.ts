import type { Knex } from 'knex';
import { RowRefused } from '../../../domain/errors.js';
import type { SourceDialect, SourceTables, StatementForIds, Stored } from './source-dialect.js';

/** Reads rows of a snapshot. */
export class RowReader<Tables extends SourceTables> {
  constructor(
    readonly database: Knex,
    readonly dialect: SourceDialect<Tables>,
    readonly tables: Tables,
  ) {}

  /** Throws RowRefused if the server rejects the statement for one of the ids. */
  async rows(statement: StatementForIds, ids: readonly string[]): Promise<readonly Stored[]> {
    if (ids.length === 0) return [];
    try {
      return await this.dialect.rows(this.database, this.tables, statement, ids);
    } catch (error) {
      const reason = this.dialect.rejectionIn(error);
      throw reason === null ? error : new RowRefused(`the row cannot be read: ${reason}`, { cause: error });
    }
  }
}
