import type { TLSSocket } from 'node:tls';
import type { Knex } from 'knex';

const THIS_MACHINE = /^(127\.|::1$|::ffff:127\.)/;

/** Whether others on the network can read what goes to and from the server. */
export async function isUnencrypted({ client }: Knex): Promise<boolean> {
  const session = await client.acquireConnection();
  // The socket: mysql2 and pg have it under different names.
  const { encrypted, remoteAddress }: Partial<TLSSocket> = session.connection?.stream ?? session.stream;
  await client.releaseConnection(session);
  // A Unix socket has no address.
  return !encrypted && remoteAddress !== undefined && !THIS_MACHINE.test(remoteAddress);
}
