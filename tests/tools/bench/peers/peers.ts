import { byTurns, compare } from '../by-turns.js';
import type { Figure, Note } from '../figures.js';
import { LIST, ReadStage } from '../read-stage.js';
import { until } from '../visibility.js';
import { startDirectus } from './directus-peer.js';
import type { Peer } from './peer.js';
import { startStrapi } from './strapi-peer.js';

const PEERS: Readonly<Record<string, () => Promise<Peer>>> = {
  'Strapi 5 with its REST cache': startStrapi,
  'Directus 12 with its cache': startDirectus,
};
/** Directus requires it. */
const OLDEST_NODE = 22;

/** Installs other products from npm, unless an earlier run did, and loads the same list by turns. */
export async function measurePeers(note: Note): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
    throw new Error(
      `Directus needs Node ${OLDEST_NODE} or later: npm exec --package=node@24 -- npm run bench -- --only peers`,
    );
  const stage = await ReadStage.set();
  try {
    const api = await stage.api(true);
    const koa = await stage.constant(api, LIST);
    for (const [name, start] of Object.entries(PEERS)) {
      const peer = await start();
      try {
        for (const [checks, path] of Object.entries(peer.lists)) {
          await expectCached(name, peer, path);
          const taken = await byTurns(stage, {
            api: { server: api, path: LIST },
            koa: { server: koa, path: LIST },
            peer: { ...peer, server: peer, path },
          });
          for (const [baseline, of] of Object.entries({ koa: 'Koa + router', api: 'this API' })) {
            const { measured } = compare('', taken, 'peer', baseline, 1);
            note(measuredOnly(`warm HIT of a list of 20: ${name}, ${checks}, of ${of}`, measured));
          }
        }
        note(await revocation(name, peer));
      } finally {
        await peer.stop();
      }
    }
  } finally {
    await stage.strike();
  }
}

function get({ address, header, keys }: Peer, path: string): Promise<Response> {
  return fetch(`${address}${path}`, { headers: { [header]: keys[0] ?? '' } });
}

async function expectCached(name: string, peer: Peer, path: string): Promise<void> {
  for (const expected of ['MISS', 'HIT']) {
    const answer = await get(peer, path);
    const { length } = ((await answer.json()) as { readonly data: readonly unknown[] }).data;
    const cache = answer.headers.get('x-cache');
    if (length !== 20 || cache !== expected)
      throw new Error(`${name}: ${length} blogs and ${cache} instead of 20 and ${expected}`);
  }
}

async function revocation(name: string, peer: Peer): Promise<Figure> {
  await peer.revokeKey();
  const path = peer.lists['a key checked'] ?? '';
  const milliseconds = await until(async () => !(await get(peer, path)).ok);
  return measuredOnly(`revoked key is refused: ${name}`, `${milliseconds.toFixed(0)} ms`);
}

function measuredOnly(what: string, measured: string): Figure {
  return { what, measured, promise: '', kept: 1 };
}
