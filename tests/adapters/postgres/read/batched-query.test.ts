import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { BatchedQuery } from '../../../../src/adapters/postgres/read/batched-query.js';
import { Gate } from '../../../support/clock/gate.js';

type Answers = ReadonlyMap<string, string>;

describe('BatchedQuery', () => {
  let sent: { readonly keys: readonly string[]; readonly gate: Gate<Answers> }[];
  let query: BatchedQuery<string>;

  beforeEach(() => {
    sent = [];
    query = new BatchedQuery((keys) => {
      const gate = new Gate<Answers>();
      sent.push({ keys, gate });
      return gate.wait();
    });
  });

  const turns = async (count: number) => {
    for (let n = 0; n < count; n++) await nextTurn();
  };
  const answer = (at: number, answers: Record<string, string>) =>
    sent[at]?.gate.open(new Map(Object.entries(answers)));
  const keysSent = () => sent.map(({ keys }) => keys);

  it('sends one query for the keys of one turn, and returns to each caller what it requested', async () => {
    const answers = ['a', 'b', 'a', 'unknown'].map((key) => query.get(key));
    await turns(3);
    expect(keysSent()).to.deep.equal([['a', 'b', 'unknown']]);
    answer(0, { a: 'of a', b: 'of b' });
    expect(await Promise.all(answers)).to.deep.equal(['of a', 'of b', 'of a', undefined]);
  });

  it('sends only one more query for all keys requested while one is running, which may return outdated rows', async () => {
    const before = query.get('a');
    await turns(3);
    const later: Promise<string | undefined>[] = [];
    for (let n = 0; n < 10; n++) {
      later.push(query.get('a'));
      await nextTurn();
    }
    expect(keysSent()).to.deep.equal([['a']]);
    answer(0, { a: 'old' });
    expect(await before).to.equal('old');
    await turns(3);
    expect(keysSent()).to.deep.equal([['a'], ['a']]);
    answer(1, { a: 'new' });
    expect(await Promise.all(later)).to.deep.equal(Array(10).fill('new'));
  });

  it('does not wait for a query that hangs', async () => {
    const hanging = query.get('a');
    await turns(3);
    const other = query.get('b');
    while (sent.length < 2) await nextTurn();
    answer(1, { b: 'of b' });
    expect(await other).to.equal('of b');
    answer(0, {});
    await hanging;
  });

  it('rejects for the callers of a failed query, and for no others', async () => {
    const failing = query.get('a');
    await turns(3);
    const next = query.get('a');
    sent[0]?.gate.fail(new Error('broken'));
    expect(await failing.catch(({ message }) => message)).to.equal('broken');
    await turns(3);
    answer(1, { a: 'of a' });
    expect(await next).to.equal('of a');
  });
});
