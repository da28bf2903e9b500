import { expect } from 'chai';
import { Probe } from '../../../src/programs/admin/probe.js';

describe('Probe', () => {
  it('lets a query end by itself after another one has failed, and then closes their connection', async () => {
    const opened: string[] = [];
    const closed: string[] = [];
    const probe = new Probe(() => {
      const name = `connection ${opened.length + 1}`;
      opened.push(name);
      return { name, close: async () => void closed.push(name) };
    });
    let answer = (_reply: string) => {};
    const other = probe.query(({ name }) => new Promise<string>((resolve) => (answer = () => resolve(name))));
    const failure = await probe.query(() => Promise.reject(new Error('refused'))).catch(String);
    expect(failure).to.equal('Error: refused');
    expect(closed).to.eql([]);
    expect(await probe.query(async ({ name }) => name)).to.equal('connection 2');
    answer('');
    expect(await other).to.equal('connection 1');
    expect(closed).to.eql(['connection 1']);
    await probe.close();
    expect(closed).to.eql(['connection 1', 'connection 2']);
  });
});
