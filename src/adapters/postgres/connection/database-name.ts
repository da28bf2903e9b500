const DEFAULT_PORT = '5432';

/** Host, port and database of a URL, without its user and password. */
export function databaseName(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || DEFAULT_PORT}${pathname}`;
}
