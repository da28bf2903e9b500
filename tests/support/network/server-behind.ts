import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';

const REQUEST_STARTS = 'http.server.request.start';

/**
 * The Node server that answers the request. Its settings are read from it, because over HTTP they show only by
 * waiting.
 */
export async function serverBehind(request: () => Promise<unknown>): Promise<Server> {
  const servers: Server[] = [];
  const note = (message: unknown) => void servers.push((message as { server: Server }).server);
  subscribe(REQUEST_STARTS, note);
  try {
    await request();
  } finally {
    unsubscribe(REQUEST_STARTS, note);
  }
  const [server] = servers;
  if (server === undefined) throw new Error('No request reached a server');
  return server;
}
