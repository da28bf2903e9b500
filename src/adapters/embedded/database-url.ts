export interface ServerAddress {
  readonly port: number;
  readonly password: string;
}

/**
 * node-postgres decodes the name with `decodeURI`: it cannot contain ? or #, and must not be encoded further than this. `sslmode` is
 * explicit, because PGSSLMODE in the environment would apply otherwise, and this server has no TLS.
 */
export function databaseUrl({ port, password }: ServerAddress, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURI(database)}?sslmode=disable`;
}
