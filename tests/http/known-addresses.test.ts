import Router from '@koa/router';
import { expect } from 'chai';
import sinon from 'sinon';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';

describe('An address', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  let match: sinon.SinonSpy;

  beforeEach(async () => {
    api = await ApiUnderTest.start('memory');
    caller = await Caller.of(api, 'org_a');
    match = sinon.spy(Router.prototype, 'match');
  });
  afterEach(async () => {
    sinon.restore();
    await api.stop();
  });

  it('is matched to its route once, for all callers and requests', async () => {
    const other = await Caller.of(api, 'org_b');
    for (const each of [caller, other, caller]) {
      for (const path of ['/api/v1/tags', '/api/v1/blogs?limit=2']) {
        expect((await each.get(path)).status).to.equal(200);
      }
    }
    expect(match.callCount).to.equal(2);
  });

  it('is refused on every request if it is invalid or unknown, or if the method is wrong', async () => {
    expect((await caller.get('/api/v1/tags')).status).to.equal(200);
    for (let n = 0; n < 2; n++) {
      expect((await caller.get('/api/v1/blogs?limit=0')).status).to.equal(400);
      expect((await caller.get('/api/v1/none')).status).to.equal(404);
      expect((await caller.get('/api/v1/blogs/%00')).status).to.equal(404);
      const posted = await fetch(`${api.address}/api/v1/tags`, {
        method: 'POST',
        headers: { 'X-API-Key': caller.key },
      });
      expect(posted.status).to.equal(405);
    }
  });
});
