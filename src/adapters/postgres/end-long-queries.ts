import { connect } from 'node:net';
import type pg from 'pg';
import { disposeConnection } from './dispose-connection.js';

const CANCEL_REQUEST_CODE = 80_877_102;
const LONGEST_CANCELLING_MS = 1_000;

/** What the driver keeps of a connection, and does not declare. */
interface Connected {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Ends a query that takes longer, as `statement_timeout` does, by a cancel request: behind a pooler that shares sessions, settings of a
 * session do not stick, and a query that nobody waits for any more would keep its connection. For one query at a time, as Knex sends them.
 * The request names the session: it may come when that query is over, so that the session is given no other.
 */
export function endLongQueries(client: pg.Client, afterMs: number): void {
  let timer: NodeJS.Timeout | null = null;
  const end = () => {
    disposeConnection(client, 'Its query was to be cancelled');
    requestCancel(client as unknown as Connected);
  };
  const send: (...args: unknown[]) => unknown = client.query.bind(client);
  const limited = (...args: unknown[]) => {
    timer ??= setTimeout(end, afterMs);
    timer.unref();
    return send(...args);
  };
  client.query = limited as typeof client.query;
  const stop = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  client.on('drain', stop);
  client.on('end', stop);
}

/** On a connection of its own, without an answer: whoever waits for the query is told by the query's end. */
function requestCancel({ host, port, processID, secretKey }: Connected): void {
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // Where the server cannot be reached, the query's own connection finds out.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(LONGEST_CANCELLING_MS, () => socket.destroy());
  socket.unref();
  // The other side closes: a pooler forgets the request of whoever hangs up before it was passed on.
  socket.write(request);
}
