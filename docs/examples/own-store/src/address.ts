import type { Environment } from 'blog-content-read-api/extensions';

/** Where the read model is. */
export function addressIn({ MARIADB_URL }: Environment): string {
  if (!MARIADB_URL) throw new Error('MARIADB_URL is missing: mysql://user:password@host:port/database');
  return MARIADB_URL;
}
