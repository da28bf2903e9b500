/** A name as SQL has it. */
export function name(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

/** A text as SQL has it, in a form in which no `sql_mode` has a say, and no `?` of a mapping is taken for a binding. */
export function text(value: string): string {
  return `_utf8mb4 x'${Buffer.from(value, 'utf8').toString('hex')}'`;
}

/** The same in the body of a trigger, whose settings are ours. The dictionary would show another form of it otherwise, and nobody could compare. */
export function textInBody(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
