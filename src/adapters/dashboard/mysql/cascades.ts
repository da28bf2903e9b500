/** A foreign key between two tables of the dashboard's database. */
export interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  /** Of the child, in the order of those of the parent that they refer to. */
  readonly columns: readonly string[];
  readonly referenced: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

/** From the table whose row is deleted or updated to one whose rows change with it. */
export interface CascadePath {
  readonly keys: readonly [ForeignKey, ...ForeignKey[]];
  /** It comes by a foreign key for the second time: how often it will in fact, nobody can say beforehand. */
  readonly isEndless: boolean;
}

export type Cause = 'delete' | 'update';

const CHANGES_ROWS = ['CASCADE', 'SET NULL', 'SET DEFAULT'];

/**
 * The paths on which a foreign key changes rows of other tables. The server does that below its triggers: none of the tables on the way fires
 * one.
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

/** The columns of a table whose change makes such a path begin. */
export function referencedColumns(paths: readonly CascadePath[]): readonly string[] {
  return [...new Set(paths.flatMap(({ keys: [first] }) => first.referenced))];
}

function extended(
  keys: CascadePath['keys'],
  last: ForeignKey,
  cause: Cause,
  foreignKeys: readonly ForeignKey[],
): readonly CascadePath[] {
  // What is set to null is updated, whatever the cause was.
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
