import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import { forcedImage, startMariaDbContainer } from '../../../support/containers.js';
import { findProgram } from '../../../support/find-program.js';
import { ofTheRun } from '../../../support/of-the-run.js';
import { noteUse, skipUnlessCi } from '../../../support/run-notes.js';
import { createDatabaseAt, type MariaDbPrograms, MariaDbServer } from './mariadb-server.js';

interface SharedServer {
  createDatabase(name: string, collation?: string): Promise<string>;
  stop(): Promise<void>;
}

const run = ofTheRun<{ server: Promise<SharedServer> | null }>('mariadb', { server: null });

/** There is a server for `createTestMariaDbDatabase`. */
export function hasMariaDb(): boolean {
  return forcedImage('TEST_MARIADB') !== null || mariaDbPrograms() !== null;
}

/** Null if there is no MariaDB. */
export function mariaDbPrograms(): MariaDbPrograms | null {
  const server = findProgram('mariadbd');
  const install = findProgram('mariadb-install-db');
  return server === null || install === null ? null : { server, install };
}

/**
 * For the `before` hook of a `describe` that starts a MariaDB of its own: returns its programs, also if TEST_MARIADB
 * forces a container. Without them its tests are skipped.
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

/** A new, empty database on the one MariaDB of this process. Without one, the tests of the context are skipped. */
export async function createTestMariaDbDatabase(context: Mocha.Context, collation?: string): Promise<string> {
  if (forcedImage('TEST_MARIADB') === null) await mariaDbForTests(context);
  return createSharedDatabase(collation);
}

/** The same where `hasMariaDb`. */
export async function createSharedDatabase(collation?: string): Promise<string> {
  run.server ??= startShared(forcedImage('TEST_MARIADB'));
  return (await run.server).createDatabase(freshId('test').replaceAll('-', ''), collation);
}

async function startShared(image: string | null): Promise<SharedServer> {
  if (image === null) return startMariaDb();
  const { url, stop } = await startMariaDbContainer(image);
  noteUse('MariaDB', `Testcontainers (${image})`);
  return { stop, createDatabase: (name, collation) => createDatabaseAt(`${url}/${name}`, collation) };
}

export async function stopTestMariaDb(): Promise<void> {
  await (await run.server)?.stop();
  run.server = null;
}
