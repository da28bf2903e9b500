import { expect } from 'chai';
import { captureChange } from '../../../src/domain/policies/capture-change.js';

describe('captureChange', () => {
  const never = { seen: null, isBroken: false };
  const whole = { seen: { blogs: '1' }, isBroken: false };
  const sameLook = { broken: [], seen: { blogs: '1' } };
  const brokenLook = { broken: ['gone'], seen: { blogs: '2' } };
  const scopes = (judged: ReturnType<typeof captureChange>) =>
    judged.work.map((update) => (update.kind === 'add' ? update.scope.of : update.kind));

  it('returns no change at first, and while the change capture stays intact', () => {
    for (const before of [never, whole]) {
      const judged = captureChange(before, sameLook);
      expect(judged).to.deep.equal({ change: { kind: 'none' }, noted: whole, work: [] });
    }
  });

  it('has the keys read again while the change capture is broken, and everything once if something else has changed', () => {
    const first = captureChange(whole, brokenLook);
    expect(first.change).to.deep.equal({ kind: 'broken' });
    expect(first.noted).to.deep.equal({ seen: brokenLook.seen, isBroken: true });
    const second = captureChange(first.noted, brokenLook);
    expect(second.change).to.deep.equal({ kind: 'none' });
    const third = captureChange(second.noted, { ...brokenLook, seen: { blogs: '3' } });
    expect(third.change).to.deep.equal({ kind: 'broken' });
    expect([first, second, third].map(scopes)).to.deep.equal([
      ['apiKeys', 'everything'],
      ['apiKeys'],
      ['apiKeys', 'everything'],
    ]);
  });

  it('has everything read again, keys first, once the change capture is repaired or replaced', () => {
    const again = captureChange({ ...whole, isBroken: true }, sameLook);
    expect(again.change).to.deep.equal({ kind: 'repaired', changed: [] });
    const other = captureChange(whole, { broken: [], seen: { tags: 'x', blogs: '2' } });
    expect(other.change).to.deep.equal({ kind: 'repaired', changed: ['blogs', 'tags'] });
    expect([scopes(again), scopes(other)]).to.deep.equal([
      ['apiKeys', 'everything'],
      ['apiKeys', 'everything'],
    ]);
    expect(other.noted).to.deep.equal({ seen: { tags: 'x', blogs: '2' }, isBroken: false });
  });
});
