/** A foreign key between two tables of the dashboard's database. */
export interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  /** Columns of the child, in the order of the parent's columns that they refer to. */
  readonly columns: readonly string[];
  readonly referenced: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

/** A path from the table whose row is deleted or updated to a table whose rows change with it. */
export interface CascadePath {
  readonly keys: readonly [ForeignKey, ...ForeignKey[]];
  /** The path reaches a foreign key for the second time. How often it would really do so cannot be known in advance. */
  readonly isEndless: boolean;
}

export type Cause = 'delete' | 'update';

export const CHANGES_ROWS = ['CASCADE', 'SET NULL', 'SET DEFAULT'];

/**
 * The paths on which foreign keys change rows of other tables. The server does that without firing any trigger of the tables on the path.
 */
export function cascadePaths(
  foreignKeys: readonly ForeignKey[],
  table: string,
  cause: Cause,
): readonly CascadePath[] {
  const begun = foreignKeys.filter(
    (key) => key.parent === table && CHANGES_ROWS.includes(ruleOf(key, cause)),
  );
  return begun.flatMap((key) => extended([key], key, cause, foreignKeys));
}

/** The columns of a table whose change starts such a path. */
export function referencedColumns(paths: readonly CascadePath[]): readonly string[] {
  return [...new Set(paths.flatMap(({ keys: [first] }) => first.referenced))];
}

function extended(
  keys: CascadePath['keys'],
  last: ForeignKey,
  cause: Cause,
  foreignKeys: readonly ForeignKey[],
): readonly CascadePath[] {
  // `set null` is an update, whatever the cause was.
  const next: Cause = cause === 'delete' && last.onDelete === 'CASCADE' ? 'delete' : 'update';
  const following = foreignKeys.filter(
    (key) =>
      key.parent === last.child &&
      CHANGES_ROWS.includes(ruleOf(key, next)) &&
      (next === 'delete' || key.referenced.some((column) => last.columns.includes(column))),
  );
  return [
    { keys, isEndless: false },
    ...following.flatMap((key): readonly CascadePath[] =>
      keys.includes(key)
        ? [{ keys: [...keys, key], isEndless: true }]
        : extended([...keys, key], key, next, foreignKeys),
    ),
  ];
}

function ruleOf({ onDelete, onUpdate }: ForeignKey, cause: Cause): string {
  return cause === 'delete' ? onDelete : onUpdate;
}
