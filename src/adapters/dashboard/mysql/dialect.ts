import { type Described, SourceDialect, type Stored } from '../source/source-dialect.js';
import { describedSelect } from './read/described-select.js';
import { MappedTables } from './read/mapped-tables.js';
import { faultOf, isDenied, queryRows, reasonIn } from './read/query-rows.js';

/** InnoDB reports it for a table that was created, truncated or rewritten after the snapshot. */
const TABLE_CHANGED = 'ER_TABLE_DEF_CHANGED';

export class Dialect extends SourceDialect {
  protected readonly snapshotMode = { isolationLevel: 'repeatable read' } as const;

  readonly describe = describedSelect;
  readonly query = queryRows<Stored>;
  readonly faultOf = faultOf;
  readonly reasonIn = reasonIn;
  readonly isDenied = isDenied;

  tablesOf(columnsOf: Described): MappedTables {
    return new MappedTables(this.mapping, columnsOf);
  }

  protected isSnapshotOutdated(error: unknown): boolean {
    return (error as { code?: string }).code === TABLE_CHANGED;
  }

  async requireSameTables(): Promise<void> {}
}
