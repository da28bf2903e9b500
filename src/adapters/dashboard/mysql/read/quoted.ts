/** A name as an SQL identifier. */
export function name(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

/** A text as a literal under every `sql_mode`, without a `?` that could be a binding. */
export function text(value: string): string {
  return `_utf8mb4 x'${Buffer.from(value, 'utf8').toString('hex')}'`;
}

/** A literal for a trigger, in the notation of the dictionary, so that both can be compared. */
export function textInBody(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
