import type { IncomingMessage, RequestListener } from 'node:http';
import { connect } from 'node:net';

/** Headers of one connection or of a body. No request of the API has a body. */
const OMITTED_HEADERS = new Set([
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
]);

/** Longer than any answer takes. */
const ANSWERED_WITHIN_MS = 10_000;

/** Forwards a request byte by byte to the public port of this program, where any process may answer, and the answer back. */
export function forwardRequests(address: string, answeredWithinMs = ANSWERED_WITHIN_MS): RequestListener {
  const { hostname, port } = new URL(address);
  return (request, response) => {
    const forwarded = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    const client = request.socket;
    // The encoding in which Node reads headers.
    forwarded.write(headOf(request), 'latin1');
    forwarded.pipe(client);
    forwarded.setTimeout(answeredWithinMs, () => forwarded.destroy(new Error('no answer')));
    forwarded.on('error', () => {
      if (forwarded.bytesRead === 0) response.writeHead(503, { Connection: 'close' }).end();
      else client.destroy();
    });
    client.once('close', () => forwarded.destroy());
  };
}

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OMITTED_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
}
