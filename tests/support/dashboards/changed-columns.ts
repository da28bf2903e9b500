/** Statements after which rows have other values, although no trigger fired: on each engine. */
export function columnChanges(table: string, column: string, type: string) {
  return {
    'a column is dropped and added again': [
      `alter table ${table} drop column ${column}`,
      `alter table ${table} add column ${column} ${type}`,
    ],
  } as const;
}
