/** A name as an SQL identifier. */
export function quoted(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

/** A text as a literal under every `sql_mode`, without a `?` that could be a binding. */
export function literal(value: string): string {
  return `_utf8mb4 x'${Buffer.from(value, 'utf8').toString('hex')}'`;
}

/** A literal for a trigger, in the notation of the dictionary, so that both can be compared. */
export function literalInBody(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
