import { LoadConnection } from './load-connection.js';

const CONNECTIONS = 32;

export interface LoadOrder {
  readonly address: string;
  /** The header of the key: X-API-Key if it is left out. */
  readonly header?: string;
  /** Used in turn. */
  readonly keys: readonly string[];
  readonly path: string;
  /** Added to the path, with a number that no other request has. */
  readonly unique?: string;
  readonly until: { readonly duration: number } | { readonly amount: number };
}

export interface Loaded {
  readonly requests: number;
  /** Missing answers, and answers other than 200. */
  readonly failures: number;
  readonly perSecond: number;
}

process.on('message', async (order: LoadOrder) => process.send?.(await send(order)));

async function send({
  address,
  header = 'X-API-Key',
  keys,
  path,
  unique,
  until,
}: LoadOrder): Promise<Loaded> {
  const begin = performance.now();
  let sent = 0;
  let good = 0;
  const hasMore = () =>
    'amount' in until ? sent < until.amount : performance.now() - begin < until.duration * 1000;
  const sendInTurn = async (_: unknown, index: number) => {
    const connection = await LoadConnection.open(address);
    // Each connection begins with other keys.
    let next = Math.floor((index * keys.length) / CONNECTIONS);
    try {
      while (hasMore()) {
        const target = unique === undefined ? path : `${path}${unique}${sent}`;
        sent++;
        if ((await connection.get(target, header, keys[next++ % keys.length] as string)) === 200) good++;
      }
    } catch {
      // The request without an answer is one of the failures; the other connections continue.
    } finally {
      connection.end();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn));
  return {
    requests: sent,
    failures: sent - good,
    perSecond: (good / (performance.now() - begin)) * 1000,
  };
}
