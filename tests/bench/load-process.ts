import autocannon from 'autocannon';

const USUAL_CONNECTIONS = 32;

export interface LoadOrder {
  readonly address: string;
  /** Used in turn. */
  readonly keys: readonly string[];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is no failure; 200 if it is not said. */
  readonly status?: 200 | 304;
  /** Added to the path with a number that no other request has. */
  readonly unique?: string;
  /** That are kept; 32 if it is not said. */
  readonly connections?: number;
  readonly until: { readonly duration: number } | { readonly amount: number };
}

export interface Loaded {
  readonly requests: number;
  /** Other answers than expected, and none. */
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
  connections = USUAL_CONNECTIONS,
  until,
}: LoadOrder): Promise<Loaded> {
  let sent = 0;
  let opened = 0;
  const begin = performance.now();
  const result = await autocannon({
    url: address,
    connections,
    ...until,
    setupClient: (client) => {
      // Each connection begins with other keys.
      const first = Math.floor((opened++ * keys.length) / connections);
      const inTurn = [...keys.slice(first), ...keys.slice(0, first)];
      client.setRequests(
        inTurn.map((key) => ({
          path,
          headers: { ...headers, 'X-API-Key': key },
          ...(unique !== undefined && {
            setupRequest: (request) => ({ ...request, path: `${path}${unique}${sent++}` }),
          }),
        })),
      );
    },
  });
  const requests = result['2xx'] + result.non2xx;
  const expected = status === 200 ? result['2xx'] : result['3xx'];
  return {
    requests,
    failures: requests - expected + result.errors + result.mismatches,
    perSecond: (expected / (performance.now() - begin)) * 1000,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
