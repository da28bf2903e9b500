/** A readable table: one line for each organization, with its key. */
export function keyTable(keys: readonly { readonly organization: string; readonly key: string }[]): string {
  const width = Math.max(...keys.map(({ organization }) => organization.length));
  return keys.map(({ organization, key }) => `  ${organization.padEnd(width)}  ${key}`).join('\n');
}
