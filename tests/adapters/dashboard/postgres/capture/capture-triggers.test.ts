import { expect } from 'chai';
import { captureFunctionOf } from '../../../../../src/adapters/dashboard/postgres/capture/capture-triggers.js';

describe('The function that captures a table', () => {
  const nameFor = (table: string) => captureFunctionOf({ table, touches: 'everything' })?.name;

  it('has the name of the table', () => {
    expect(nameFor('public.posts')).to.equal('capture posts');
    expect(nameFor('news.posts')).to.equal('capture news.posts');
  });

  it('has a different name for each table', () => {
    const names = [
      'news.posts',
      '"news.posts"',
      '"a.b".c',
      'a."b.c"',
      `a.${'x'.repeat(63)}`,
      `b.${'x'.repeat(63)}`,
    ].map(nameFor);
    expect(new Set(names)).to.have.lengthOf(names.length);
  });
});
