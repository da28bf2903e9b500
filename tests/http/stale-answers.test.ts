import { expect } from 'chai';
import sinon from 'sinon';
import { PostgresGenerations } from '../../src/adapters/postgres/read/postgres-generations.js';
import { MemoryGenerations } from '../../src/contracts/fakes/memory-generations.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ADAPTERS } from '../support/http/adapters.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { type ReceivedAnswer, sendRequest } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { sampleOf } from '../support/programs/scrape.js';

const PATH = '/api/v1/blogs';
const LIST_TTL_MS = 300_000;
const STALE_MS = 600_000;
const CAUSE = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('Stale answers', () => {
  let api: ApiUnderTest;
  let strict: ApiUnderTest;
  let caller: Caller;
  const { apiKeyDirectory, blogReader, categoryReader, tagReader } = ADAPTERS[ANY_STAGE];
  const generations = ANY_STAGE === 'memory' ? MemoryGenerations.prototype : PostgresGenerations.prototype;

  /** Breaks the content and the probe, and the generations and keys too if they come only from the read tables. */
  const startOutage = ({ withGenerations }: { withGenerations: boolean }) => {
    for (const name of ['list', 'findById', 'findBySlug'] as const)
      sinon.stub(blogReader, name).rejects(CAUSE);
    sinon.stub(categoryReader, 'list').rejects(CAUSE);
    sinon.stub(tagReader, 'list').rejects(CAUSE);
    if (!withGenerations) return;
    sinon.stub(generations, 'read').rejects(CAUSE);
    sinon.stub(apiKeyDirectory, 'find').rejects(CAUSE);
  };
  const edit = (title: string) =>
    api.put('blogs', aBlog({ id: 'b1', organizationId: caller.organizationId, title }));
  const shown = ({ status, headers, text }: ReceivedAnswer) => ({
    status,
    text,
    generation: headers['x-content-generation'],
  });
  const STALE = { 'x-cache': 'HIT', 'cache-status': 'blog-content-read-api; hit; detail=stale' };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE, { staleIfErrorMs: STALE_MS });
    strict = await ApiUnderTest.start(ANY_STAGE);
  });
  beforeEach(async () => {
    caller = await Caller.of(api);
    await edit('First');
    // The API detects that the read tables are available again after the previous test, and checks the key.
    await eventually(async () => expect((await caller.get('/api/v1/categories')).status).to.equal(200));
  });
  afterEach(() => sinon.restore());
  after(async () => {
    await api.stop();
    await strict.stop();
  });

  it('contract 28: an answer past its lifetime is served with a mark and its age while content cannot be read', async () => {
    const fresh = await caller.get(PATH);
    await edit('Second');
    api.clock.advance(LIST_TTL_MS + 7_900);
    startOutage({ withGenerations: false });
    const stale = await caller.get(PATH);
    expect(shown(stale)).to.eql(shown(fresh));
    expect(stale.headers).to.include({ ...STALE, age: '307', etag: fresh.headers.etag });

    const unchanged = await caller.get(PATH, { 'If-None-Match': String(fresh.headers.etag) });
    expect([unchanged.status, unchanged.text]).to.eql([304, '']);
    expect(unchanged.headers).to.include({ ...STALE, age: '307' });
    const counted = sampleOf(await api.metrics.text(), 'blog_read_api_answers_total{source="stale"}');
    expect(counted).to.be.at.least(2);
  });

  it('contract 28: an answer that is not cached is a 500, and errors of the request stay the same', async () => {
    startOutage({ withGenerations: false });
    expect((await caller.get(`${PATH}?limit=7`)).status).to.equal(500);
    expect((await caller.get(`${PATH}?limit=0`)).status).to.equal(400);
    expect((await caller.get('/nope')).status).to.equal(404);
  });

  it('contract 22, 28: the last known generation is used while none can be read; the answer is marked and counts', async () => {
    const fresh = await caller.get(PATH);
    api.clock.advance(5_000);
    startOutage({ withGenerations: true });
    const stale = await caller.get(PATH);
    expect(shown(stale)).to.eql(shown(fresh));
    expect(stale.headers).to.include({ ...STALE, age: '5' });
    const remaining = [fresh, stale].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining[1]).to.equal(Number(remaining[0]) - 1);

    const ask = async (key: string) => (await sendRequest(api.address, PATH, { 'X-API-Key': key })).status;
    expect(await ask('unknown-key-of-nobody')).to.equal(500);
    expect(await ask('short')).to.equal(401);
  });

  it('no answer is ever stale unless the operator configures it', async () => {
    const client = await Caller.of(strict);
    await client.get(PATH);
    startOutage({ withGenerations: false });
    strict.clock.advance(LIST_TTL_MS);
    expect((await client.get(PATH)).status).to.equal(500);
    sinon.stub(generations, 'read').rejects(CAUSE);
    expect((await client.get(PATH)).status).to.equal(500);
  });
});
