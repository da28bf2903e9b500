import { expect } from 'chai';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import type { SyncSession } from '../../../src/programs/sync/sync-session.js';
import { RecordingLog } from '../programs/recording-log.js';
import { openSession } from '../sync/open-session.js';
import type { SyncedDatabases } from '../sync/synced-databases.js';

const MAX_STEPS = 60;
/** A read ends after two of these. */
const LARGE = `repeat('x', ${4 * 1024 * 1024})`;
const WRITTEN = ['P0', 'P1', 'p2', 'p3', 'p4'];

/** What the sync promises on each engine about a dashboard whose ids compare without case. */
export function oddIdCases(makeDatabases: (context: Mocha.Context) => Promise<SyncedDatabases>): void {
  let databases: SyncedDatabases;
  let session: SyncSession;
  let epoch: number;

  const insert = (table: string, ...rows: readonly object[]) => databases.dashboard(table).insert(rows);
  const ofWebsite = (id: string, website_id = 'web_a') => ({ id, website_id, name: id, slug: id });
  const blog = (id: string, content_html = '', website_id = 'web_a') => ({
    id,
    website_id,
    title: id,
    slug: id,
    content_html,
    status: 'published',
    published_at: '2026-01-01 00:00:00',
  });
  const settle = async () => {
    for (let steps = 0; await session.worker.step(epoch); steps++) {
      expect(steps, 'the steps end').to.be.below(MAX_STEPS);
    }
  };
  /** The names of the categories that each blog shows. */
  const shown = async (): Promise<Readonly<Record<string, string>>> => {
    const { rows }: { rows: { id: string; names: string }[] } = await databases.readTables.raw(
      `select id, jsonb_path_query_array(categories, '$[*].name')::text as names from content_read.blogs`,
    );
    return Object.fromEntries(rows.map(({ id, names }) => [id, JSON.parse(names).join()]));
  };
  before(async function () {
    databases = await makeDatabases(this);
  });
  beforeEach(async () => {
    await databases.empty();
    session = openSession(databases, new MemoryMetrics(), new RecordingLog());
    epoch = (await session.ports.leadership.claim(null)) ?? 0;
    await session.recognize(epoch);
    await insert('organizations', { id: 'org_a', name: 'A' }, { id: 'org_b', name: 'B' });
    for (const x of ['a', 'b'])
      await insert('websites', { id: `web_${x}`, organization_id: `org_${x}`, name: x });
    await insert('categories', ofWebsite('cat'), ofWebsite('other', 'web_b'));
  });
  afterEach(() => session?.close());
  after(() => databases?.close());

  it('shows a renamed category in a blog whose link writes its id in another case, and moves others meanwhile', async () => {
    await insert('blogs', blog('P1'), blog('elsewhere', '', 'web_b'));
    await insert('blog_categories', { blog_id: 'p1', category_id: 'CAT' });
    await settle();
    expect(await shown()).to.eql({ P1: 'cat', elsewhere: '' });
    await databases.dashboard('categories').where({ id: 'cat' }).update({ name: 'New' });
    await databases.dashboard('websites').where({ id: 'web_b' }).update({ organization_id: 'org_a' });
    await settle();

    expect(await shown()).to.eql({ P1: 'New', elsewhere: '' });
    expect((await databases.unfinishedJobs()).map(({ scope }) => scope)).to.eql(['reconcile']);
    const hidden = await databases.readTables.withSchema('content_read').from('hidden_websites').select();
    expect(hidden).to.eql([]);
  });

  for (const [order, ids] of Object.entries({
    'in their order': WRITTEN,
    'in another order': WRITTEN.toReversed(),
  })) {
    it(`has read each large row of the ids that it reports as read, ${order}`, async () => {
      for (const id of WRITTEN) {
        const { content_html: _, ...small } = blog(id.toUpperCase());
        await insert('blogs', { ...small, content_html: databases.dashboard.raw(LARGE) });
      }
      for (let rest: readonly string[] = ids; rest.length > 0; ) {
        const reading = await session.ports.contentSource.read('blogs', rest);
        const read = rest.filter((id) => reading.ids.includes(id));
        expect(read).not.to.eql([]);
        expect(reading.rows.map(({ id }) => id)).to.include.members(read.map((id) => id.toUpperCase()));
        rest = rest.filter((id) => !read.includes(id));
      }
    });
  }
}
