import { expect } from 'chai';
import { sendRequest } from '../../support/http/send-request.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf } from '../../support/programs/running-programs.js';

const EXTENSIONS = './tests/support/programs/own-store.mjs';
const ON_ANY_PORT = { PORT: '0', HOST: '127.0.0.1', ADMIN_PORT: '0' };
const HEADERS = { 'X-API-Key': 'brk_any-key-of-this-store' };

describe('`api` with EXTENSIONS', () => {
  let api: RunningProgram | null = null;

  afterEach(() => api?.end('SIGKILL'));

  it('serves from the store of a module, without the address of a database', async () => {
    api = new RunningProgram(['api'], { ...ON_ANY_PORT, EXTENSIONS, OWN_TAGS: 'a,b' });
    const [address, adminAddress] = await Promise.all([addressOf(api), adminAddressOf(api)]);
    const ask = () => sendRequest(address, '/api/v1/tags', HEADERS);
    const answers = [await ask(), await ask()];
    expect(answers.map(({ headers }) => headers['x-cache'])).to.deep.equal(['MISS', 'HIT']);
    expect(answers[1]?.json().data.map(({ name }: { name: string }) => name)).to.deep.equal(['a', 'b']);

    const [loaded] = api.output.split('\n').filter((line) => line.includes('extension loaded'));
    const replaces = ['TagReader', 'CategoryReader', 'BlogReader', 'KeyTable', 'GenerationTable'];
    expect(JSON.parse(loaded ?? '')).to.deep.include({ extension: 'a store of our own', replaces });
    const readiness = JSON.parse((await askOperators(adminAddress, '/readyz')).text);
    expect(readiness).to.deep.equal({
      status: 'ready',
      checks: { syncAge: { status: 'ok' }, ownStore: { status: 'ok' } },
      replaced: Object.fromEntries(replaces.map((port) => [port, 'a store of our own'])),
    });

    expect(await api.end('SIGTERM')).to.equal(0);
    expect(api.output).to.match(/our store is closed/);
  });
});
