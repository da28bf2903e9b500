import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import sinon from 'sinon';
import { Gate } from '../support/clock/gate.js';
import { settlesWithin } from '../support/clock/settles-within.js';
import { ADAPTERS } from '../support/http/adapters.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { openConnection, parseAnswer } from '../support/network/send-raw.js';

describe('Stopping', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  let stopping: Promise<void> | null;
  const stop = () => {
    stopping ??= api.stop();
    return stopping;
  };
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${caller.key}\r\n\r\n`;

  beforeEach(async () => {
    stopping = null;
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api);
  });
  afterEach(async () => {
    sinon.restore();
    await stop();
  });

  it('closes idle connections at once', async () => {
    const socket = await openConnection(api.address);
    socket.write(request('/api/v1/tags'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    expect(await settlesWithin(stop())).to.equal(true);
    expect(await settlesWithin(closed)).to.equal(true);
  });

  it('does not wait for a connection that never sent a request', async () => {
    const socket = await openConnection(api.address);
    // Once the server has answered on a later connection, it has certainly accepted this one.
    await caller.get('/api/v1/tags');
    const stopped = await settlesWithin(stop());
    socket.destroy();
    expect(stopped).to.equal(true);
  });

  it('finishes the running request, and then closes its connection', async () => {
    const rows = new Gate<[]>();
    sinon.stub(ADAPTERS[ANY_STAGE].tagReader, 'list').callsFake(() => rows.wait());
    const socket = await openConnection(api.address);
    socket.write(request('/api/v1/tags'));
    await rows.arrivalOf('the reader of tags');

    const stopped = stop();
    rows.open([]);
    const [bytes] = await once(socket, 'data');
    const received = parseAnswer(String(bytes));
    expect(received).to.include({ status: 200, body: '{"data":[]}' });
    expect(received.head).to.match(/^connection: close/im);
    const inTime = await settlesWithin(stopped);
    socket.destroy();
    expect(inTime).to.equal(true);
  });

  it('answers a request that has arrived but was not read yet, on an existing connection and on a new one', async () => {
    const used = await openConnection(api.address);
    used.write(request('/api/v1/tags'));
    await once(used, 'data');
    const fresh = await openConnection(api.address);
    used.write(request('/api/v1/tags'));
    fresh.write(request('/api/v1/tags'));
    const answers = [used, fresh].map(async (socket) => parseAnswer(await text(socket)));
    void stop();
    for (const answer of answers) {
      const { status, head } = await answer;
      expect([status, /^connection: close/im.test(head)]).to.deep.equal([200, true]);
    }
  });
});
