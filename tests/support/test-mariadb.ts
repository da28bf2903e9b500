import { freshId } from '../../src/contracts/support/fresh-id.js';
import { findProgram } from './find-program.js';
import { type MariaDbPrograms, MariaDbServer } from './mariadb-server.js';
import { leaveOutUnlessCi, noteUse } from './surroundings.js';

let server: Promise<MariaDbServer> | null = null;

/** For the `before` hook of a `describe` that needs a real MariaDB: its programs. Without them its tests are left out. */
export async function mariaDbForTests(context: Mocha.Context): Promise<MariaDbPrograms> {
  const server = await findProgram('mariadbd');
  const install = await findProgram('mariadb-install-db');
  if (server === null || install === null) {
    return leaveOutUnlessCi(context, 'MariaDB', 'install mariadb-server');
  }
  noteUse('MariaDB', server);
  return { server, install };
}

/** A new, empty database on the one MariaDB of this process. */
export async function createTestMariaDbDatabase(
  programs: MariaDbPrograms,
  collation?: string,
): Promise<string> {
  server ??= MariaDbServer.start(programs);
  return (await server).createDatabase(freshId('test').replaceAll('-', ''), collation);
}

export async function stopTestMariaDb(): Promise<void> {
  await (await server)?.stop();
  server = null;
}
