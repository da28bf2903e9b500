import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '../../../domain/ports/system/log.js';
import { JSON_TYPE } from '../response/api-response.js';
import { errorEnvelope, refusalOfUnread } from '../response/error-response.js';
import type { RequestObserver } from './request-observer.js';

const MAX_DRAIN_MS = 10_000;
/** Node disconnects at the second check without progress: 30 s after a client stopped reading. */
const CHECK_PROGRESS_MS = 15_000;
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;
const CHECK_UNSENT_MS = 250;
/** The rest of the current turn, one to accept a connection, one to read from it. */
const TURNS_TO_READ = 3;

/** Mutated for each request. No Set holds the requests that are in progress (see ADR 21). */
interface Connection {
  /** No request has arrived yet: Node does not count such a connection as idle. */
  isSilent: boolean;
  /** No request is read after the last one of `unanswered`. */
  isEnding: boolean;
  /** The responses to pipelined requests, in their order. */
  readonly unanswered: ServerResponse[];
  /** When the current response began to be sent or awaited. */
  busySince: number;
  /** A request that was answered before it arrived completely. */
  incomplete: IncomingMessage | null;
}

/** An HTTP server with limits, which can close without cutting off a request. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  #unsentCheck: NodeJS.Timeout | null = null;
  #draining = false;
  #isStopping = false;

  constructor(
    listener: RequestListener,
    private readonly log: Log,
    private readonly observer: Pick<RequestObserver, 'refusedUnread'>,
  ) {
    this.#server = createServer({
      maxHeaderSize: 8 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      // Longer than load balancers keep idle connections, so that they close them first.
      keepAliveTimeout: 65_000,
      // The check is below, so that the refusal has the error envelope.
      requireHostHeader: false,
    });
    // The size of headers limits their number; Node would ignore those beyond its own limit.
    this.#server.maxHeadersCount = 0;
    // Nothing else disconnects a client that does not read its response.
    this.#server.timeout = CHECK_PROGRESS_MS;
    const serve: RequestListener = (request, response) => {
      const connection = this.#connectionOf(request.socket);
      // What follows the last response would be counted, and never answered.
      if (connection.isEnding) return;
      connection.isSilent = false;
      if (!hasValidHost(request)) return this.#refuseUnread(undefined, request.socket);
      if (connection.unanswered.push(response) === 1) connection.busySince = performance.now();
      if (this.#draining) this.#endAfter(response, connection);
      response.once('close', () => {
        connection.unanswered.splice(connection.unanswered.indexOf(response), 1);
        connection.incomplete = request.complete ? null : request;
        if (this.#isStopping) this.#server.closeIdleConnections();
      });
      listener(request, response);
    };
    this.#server.on('request', serve);
    // A server may ignore an expectation. Node's own 417 would have no envelope.
    this.#server.on('checkExpectation', serve);
    this.#server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) =>
      this.#refuseUnread(code, socket),
    );
    this.#server.on('connect', ({ socket }) => {
      // Node leaves the rest of such a connection to its listener.
      const destroy = () => socket.destroy();
      socket.on('error', destroy).on('timeout', destroy).on('finish', destroy).resume();
      this.#refuseUnread(undefined, socket);
    });
    this.#server.on('connection', (socket) => this.#connectionOf(socket));
  }

  /** Returns the address in the form http://host:port. */
  async start(port: number, host: string): Promise<string> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.log.error('the HTTP server reported an error', { error }));
    this.#unsentCheck = setInterval(() => this.#limitUnsent(), CHECK_UNSENT_MS).unref();
    const { address, family, port: actualPort } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`;
  }

  /** Serves a request that arrived on another port as if it had arrived on this one. */
  readonly serve: RequestListener = (request, response) => {
    this.#server.emit('request', request, response);
  };

  /** Each response is the last one of its connection, so that clients reach another process. */
  drain(): void {
    this.#draining = true;
    for (const connection of this.#connections.values()) {
      const last = connection.unanswered.at(-1);
      if (last !== undefined && !last.headersSent) this.#endAfter(last, connection);
    }
  }

  #endAfter(last: ServerResponse, connection: Connection): void {
    last.shouldKeepAlive = false;
    connection.isEnding = true;
  }

  /** Closes idle connections at once, and busy ones when their response is sent or after 10 s. */
  async stop(): Promise<void> {
    this.drain();
    // While data waits to be read, its connection looks idle or is not accepted yet.
    for (let turns = 0; turns < TURNS_TO_READ; turns++) await nextTurn();
    this.#isStopping = true;
    // `server.close` would cut idle connections off.
    const closed = promisify(NetServer.prototype.close.bind(this.#server))();
    this.#server.closeIdleConnections();
    for (const [socket, { isSilent }] of this.#connections) if (isSilent) socket.destroy();
    const deadline = setTimeout(() => this.#server.closeAllConnections(), MAX_DRAIN_MS);
    await closed;
    clearTimeout(deadline);
    if (this.#unsentCheck !== null) clearInterval(this.#unsentCheck);
    // Also stops Node's check for late requests.
    this.#server.close();
  }

  #connectionOf(socket: Socket): Connection {
    const open = this.#connections.get(socket);
    if (open !== undefined) return open;
    const connection: Connection = {
      isSilent: true,
      isEnding: false,
      unanswered: [],
      busySince: 0,
      incomplete: null,
    };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
    return connection;
  }

  /** Disconnects the slowest readers, so that they do not take this process's memory. */
  #limitUnsent(): void {
    const unsent = [...this.#connections].flatMap(([socket, { unanswered, busySince }]) => {
      const bytes = unanswered.reduce((sum, { writableLength }) => sum + writableLength, 0);
      return bytes === 0 ? [] : { socket, bytes, busySince };
    });
    let total = unsent.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MAX_UNSENT_BYTES) return;
    let connections = 0;
    for (const { socket, bytes } of unsent.sort((one, other) => one.busySince - other.busySince)) {
      if (total <= MAX_UNSENT_BYTES) break;
      socket.destroy();
      connections++;
      total -= bytes;
    }
    this.log.warn('clients that do not read their responses were disconnected', { connections });
  }

  /** What Node rejects also gets the error envelope, after the responses before it. */
  #refuseUnread(code: string | undefined, socket: Socket): void {
    const { unanswered, incomplete } = this.#connectionOf(socket);
    // An incomplete request is the one that is rejected.
    const last = unanswered.findLast(({ req }) => req.complete);
    if (last !== undefined && socket.writable) {
      last.once('close', () => this.#refuseUnread(code, socket));
      return;
    }
    const isAnswered = incomplete !== null && !incomplete.complete;
    if (!socket.writable || code === 'ECONNRESET' || isAnswered) {
      socket.destroy();
      return;
    }
    const { status, message } = refusalOfUnread(code);
    const body = JSON.stringify(errorEnvelope(status, message));
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nCache-Control: no-store\r\n` +
        `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    this.observer.refusedUnread(status);
  }
}

/** HTTP requires a 400 for a missing one in HTTP/1.1, and for two in any version. */
function hasValidHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}
