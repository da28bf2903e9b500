export const MYSQL_EXAMPLE = 'mysql://user:password@host:3306/name';

export function isMysqlUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'mysql:';
}

/** The error completes the sentence "<variable> …" and contains nothing of the URL. */
export function mysqlUrl(text: string): string {
  const { username, password, pathname, searchParams } = new URL(text);
  // MySQL has no default database.
  if (pathname.length < 2) throw new Error(`must be a URL such as ${MYSQL_EXAMPLE}`);
  // The driver ignores all but one, whose value is an object.
  if (
    [...searchParams].some(([name, value]) => /^ssl/i.test(name) && !`${name}=${value}`.startsWith('ssl={'))
  )
    throw new Error('must have ssl={"verifyIdentity":true} for TLS');
  try {
    decodeURIComponent(username + password + pathname);
  } catch {
    throw new Error('must write a % in a name or password as %25');
  }
  return text;
}
