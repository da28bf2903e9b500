import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';

const DEFAULT_CONNECTIONS = 32;
/** The interval of paced requests: the shortest for which a timer is exact enough. */
const TICK_MS = 2;

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

/** A load that does not depend on the speed of the server. */
export interface PacedOrder extends Pick<LoadOrder, 'address' | 'keys' | 'path'> {
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
}

process.on('message', async (order: LoadOrder | PacedOrder) =>
  process.send?.(await ('perSecond' in order ? sendAtPace(order) : send(order))),
);

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

async function sendAtPace({
  address,
  keys,
  path,
  connections,
  perSecond,
  seconds,
}: PacedOrder): Promise<Pick<Loaded, 'requests' | 'failures'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const requests = perSecond * seconds;
  const begin = performance.now();
  const answers: Promise<boolean>[] = [];
  while (answers.length < requests) {
    const due = Math.min(requests, Math.floor(((performance.now() - begin) / 1000) * perSecond));
    while (answers.length < due) {
      answers.push(isAnswered(agent, `${address}${path}`, keys[answers.length % keys.length] as string));
    }
    await pause(TICK_MS);
  }
  const failures = (await Promise.all(answers)).filter((isGood) => !isGood).length;
  agent.destroy();
  return { requests, failures };
}

function isAnswered(agent: Agent, url: string, key: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent, headers: { 'X-API-Key': key } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200));
    }).on('error', () => resolve(false));
  });
}
