/** A name as an SQL identifier. */
export function name(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

/** A text as an SQL literal that means the same under every `sql_mode`, and in which no `?` of a mapping is taken for a binding. */
export function text(value: string): string {
  return `_utf8mb4 x'${Buffer.from(value, 'utf8').toString('hex')}'`;
}

/**
 * A literal for the body of a trigger, whose settings are ours. The dictionary would rewrite any other notation, and the two could not be
 * compared.
 */
export function textInBody(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
