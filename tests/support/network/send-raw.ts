import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A bare connection. A test can send what no HTTP client would, and keep its own end open after the server closes. */
export function openConnection(address: string, allowHalfOpen = false): Promise<Socket> {
  const { hostname: host, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host, allowHalfOpen }, () => resolve(socket)).once(
      'error',
      reject,
    );
  });
}

/** Sends these bytes, one per character, and reads until the server closes the connection. */
export async function sendRaw(address: string, bytes: string): Promise<RawAnswer> {
  const socket = await openConnection(address);
  socket.write(bytes, 'latin1');
  return parseAnswer(await text(socket));
}

export function parseAnswer(received: string): RawAnswer {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') };
}
