import autocannon from 'autocannon';

const CONNECTIONS = 32;

export interface LoadOrder {
  readonly address: string;
  /** Used in turn. */
  readonly keys: readonly string[];
  readonly path: string;
  /** Added to the path with a number that no other request has. */
  readonly unique?: string;
  readonly until: { readonly duration: number } | { readonly amount: number };
}

export interface Loaded {
  readonly requests: number;
  /** Other answers than 200, and none. */
  readonly failures: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

process.on('message', async (order: LoadOrder) => process.send?.(await send(order)));

async function send({ address, keys, path, unique, until }: LoadOrder): Promise<Loaded> {
  let sent = 0;
  let connections = 0;
  const begin = performance.now();
  const result = await autocannon({
    url: address,
    connections: CONNECTIONS,
    ...until,
    setupClient: (client) => {
      // Each connection begins with other keys.
      const first = Math.floor((connections++ * keys.length) / CONNECTIONS);
      const inTurn = [...keys.slice(first), ...keys.slice(0, first)];
      client.setRequests(
        inTurn.map((key) => ({
          path,
          headers: { 'X-API-Key': key },
          ...(unique !== undefined && {
            setupRequest: (request) => ({ ...request, path: `${path}${unique}${sent++}` }),
          }),
        })),
      );
    },
  });
  return {
    requests: result['2xx'] + result.non2xx,
    failures: result.non2xx + result.errors + result.mismatches,
    perSecond: (result['2xx'] / (performance.now() - begin)) * 1000,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
