import type { Environment } from 'blog-content-read-api/extensions';

/** The URL of the read model. */
export function addressIn({ MARIADB_URL }: Environment): string {
  if (!MARIADB_URL) throw new Error('MARIADB_URL is missing: mysql://user:password@host:port/database');
  return MARIADB_URL;
}
