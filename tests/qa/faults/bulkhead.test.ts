import { expect } from 'chai';
import sinon from 'sinon';
import { Gate } from '../../support/clock/gate.js';
import { ADAPTERS } from '../../support/http/adapters.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';

const SEARCHES = 30;

describe('An organization with slow searches', () => {
  let api: ApiUnderTest;
  let greedy: Caller;
  let other: Caller;

  before(async () => {
    api = await ApiUnderTest.start('postgres');
    greedy = await Caller.of(api, 'org_a');
    other = await Caller.of(api, 'org_b');
  });
  after(() => api.stop());
  afterEach(() => sinon.restore());

  it('uses a limited number of connections, and answers of others are computed in the meantime', async () => {
    const gate = new Gate();
    const { blogReader } = ADAPTERS.postgres;
    const list = blogReader.list;
    let waiting = 0;
    sinon.stub(blogReader, 'list').callsFake(async function (this: typeof blogReader, ...args) {
      if (args[0] === 'org_a') {
        waiting++;
        await gate.wait();
      }
      return list.apply(this, args);
    });
    const searches = Array.from({ length: SEARCHES }, (_, n) => greedy.get(`/api/v1/blogs?search=${n}`));
    await gate.arrived;

    for (const path of ['/api/v1/blogs', '/api/v1/tags', '/api/v1/categories']) {
      const answer = await other.get(path);
      expect([answer.status, answer.headers['x-cache']]).to.eql([200, 'MISS']);
    }
    expect(waiting).to.equal(4);
    gate.open();
    const answers = await Promise.all(searches);
    expect(answers.map(({ status }) => status)).to.eql(Array.from({ length: SEARCHES }, () => 200));
  });
});
