import type { Knex } from 'knex';
import { RowRefused } from '../../../domain/errors.js';
import type { SourceDialect, SourceTables, StatementForIds, Stored } from './source-dialect.js';

/** Reads rows of a snapshot. */
export class RowReader {
  constructor(
    private readonly database: Knex,
    private readonly dialect: SourceDialect,
    readonly tables: SourceTables,
  ) {}

  /** Throws RowRefused if the server rejects the statement for one of the ids. */
  async rows(statement: StatementForIds, ids: readonly string[]): Promise<readonly Stored[]> {
    if (ids.length === 0) return [];
    try {
      return await this.tables.rows(this.database, statement, ids);
    } catch (error) {
      const reason = this.dialect.rejectionIn(error);
      throw reason === null ? error : new RowRefused(`the row cannot be read: ${reason}`, { cause: error });
    }
  }
}
