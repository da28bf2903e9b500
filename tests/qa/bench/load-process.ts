import { percentile } from './figures.js';
import { LoadConnection } from './load-connection.js';

const DEFAULT_CONNECTIONS = 32;

export interface LoadOrder {
  readonly address: string;
  /** Used in turn. */
  readonly keys: readonly string[];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status; 200 by default. */
  readonly status?: 200 | 304;
  /** Added to the path, with a number that no other request has. */
  readonly unique?: string;
  /** The number of persistent connections; 32 by default. */
  readonly connections?: number;
  readonly until: { readonly duration: number } | { readonly amount: number };
}

export interface Loaded {
  readonly requests: number;
  /** Missing answers, and answers other than the expected one. */
  readonly failures: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

process.on('message', async (order: LoadOrder) => process.send?.(await send(order)));

async function send({
  address,
  keys,
  path,
  headers = {},
  status = 200,
  unique,
  connections = DEFAULT_CONNECTIONS,
  until,
}: LoadOrder): Promise<Loaded> {
  const begin = performance.now();
  const times: number[] = [];
  let sent = 0;
  let expected = 0;
  const hasMore = () =>
    'amount' in until ? sent < until.amount : performance.now() - begin < until.duration * 1000;
  const sendInTurn = async (_: unknown, index: number) => {
    const connection = await LoadConnection.open(address);
    // Each connection begins with other keys.
    let next = Math.floor((index * keys.length) / connections);
    try {
      while (hasMore()) {
        const target = unique === undefined ? path : `${path}${unique}${sent}`;
        sent++;
        const sentAt = performance.now();
        const key = keys[next++ % keys.length] as string;
        const received = await connection.get(target, { ...headers, 'X-API-Key': key });
        times.push(performance.now() - sentAt);
        if (received === status) expected++;
      }
    } catch {
      // The request without an answer is one of the failures; the other connections continue.
    } finally {
      connection.end();
    }
  };
  await Promise.all(Array.from({ length: connections }, sendInTurn));
  return {
    requests: sent,
    failures: sent - expected,
    perSecond: (expected / (performance.now() - begin)) * 1000,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}
