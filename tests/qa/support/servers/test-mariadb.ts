import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import { findProgram } from '../../../support/find-program.js';
import { ofTheRun } from '../../../support/of-the-run.js';
import { noteUse, skipUnlessCi } from '../../../support/run-notes.js';
import { type MariaDbPrograms, MariaDbServer } from './mariadb-server.js';

const run = ofTheRun<{ server: Promise<MariaDbServer> | null }>('mariadb', { server: null });

/** Null if there is no MariaDB. */
export function mariaDbPrograms(): MariaDbPrograms | null {
  const server = findProgram('mariadbd');
  const install = findProgram('mariadb-install-db');
  return server === null || install === null ? null : { server, install };
}

/**
 * For the `before` hook of a `describe` that needs a real MariaDB: returns its programs. Without them its tests are
 * skipped.
 */
export async function mariaDbForTests(context: Mocha.Context): Promise<MariaDbPrograms> {
  const programs = mariaDbPrograms();
  if (programs === null) return skipUnlessCi(context, 'MariaDB (install mariadb-server)');
  noteUse('MariaDB', programs.server);
  return programs;
}

/** For a program that needs one of its own. */
export function startMariaDb(settings?: readonly string[]): Promise<MariaDbServer> {
  const programs = mariaDbPrograms();
  if (programs === null) throw new Error('There is no MariaDB here: install mariadb-server');
  return MariaDbServer.start(programs, settings);
}

/** A new, empty database on the one MariaDB of this process. */
export async function createTestMariaDbDatabase(
  programs: MariaDbPrograms,
  collation?: string,
): Promise<string> {
  run.server ??= MariaDbServer.start(programs);
  return (await run.server).createDatabase(freshId('test').replaceAll('-', ''), collation);
}

export async function stopTestMariaDb(): Promise<void> {
  await (await run.server)?.stop();
  run.server = null;
}
