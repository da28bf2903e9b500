import { expect } from 'chai';
import { isFresh, ProcessAnswers } from '../../../src/application/requests/process-answers.js';

const BYTES_OF_ENTRY = 1_000;
const NOW = 1_000;
const LATER = 2_000;

describe('ProcessAnswers', () => {
  let answers: ProcessAnswers;

  const answerOf = (text: string) => ({ body: new TextEncoder().encode(text), etag: '""' });
  const keep = (generation: number, text: string, request = '/blogs', organizationId = 'org', now = NOW) =>
    answers.keep({ organizationId, generation, request }, answerOf(text), now, LATER);
  const textOf = (request = '/blogs', organizationId = 'org') => {
    const latest = answers.find(organizationId, request);
    return latest && Buffer.from(latest.answer.body).toString();
  };

  beforeEach(() => {
    answers = new ProcessAnswers(4 * (BYTES_OF_ENTRY + 50));
  });

  it('are the last that were kept, also of a lower generation: tables may be restored', () => {
    expect(textOf()).to.equal(null);
    keep(2, 'before');
    keep(1, 'restored');
    expect(answers.find('org', '/blogs')).to.deep.equal({
      answer: answerOf('restored'),
      generation: 1,
      storedAt: NOW,
      expiresAt: LATER,
    });
  });

  it('belong to one organization and one request', () => {
    keep(1, 'blogs', '2x', 'org1');
    for (const [organizationId, request] of [
      ['org', '12x'],
      ['org12', 'x'],
      ['ORG1', '2x'],
      ['org1', '2X'],
    ]) {
      expect(textOf(request, organizationId)).to.equal(null);
    }
    expect(textOf('2x', 'org1')).to.equal('blogs');
  });

  it('can be forgotten one by one, and kept again', () => {
    keep(2, 'blogs');
    keep(2, 'tags', '/tags');
    answers.forget('org', '/blogs');
    answers.forget('org', 'unknown');
    expect([textOf(), textOf('/tags')]).to.deep.equal([null, 'tags']);
    keep(1, 'again');
    expect(textOf()).to.equal('again');
  });

  it('are dropped if nobody asks for them while as many others are stored', () => {
    for (const request of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      keep(1, 'text', request);
      expect(textOf('a')).to.equal('text');
    }
    const kept = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter((request) => textOf(request) !== null);
    expect(kept).to.include.members(['a', 'g']).and.not.include('b');
    expect(kept).to.have.length.at.most(4);
  });

  it('count with all of a larger buffer, and with their names', () => {
    const body = new Uint8Array(new ArrayBuffer(3 * BYTES_OF_ENTRY), 10, 100);
    answers.keep({ organizationId: 'org', generation: 1, request: 'part' }, { body, etag: '""' }, NOW, LATER);
    keep(1, 'text', 'n'.repeat(BYTES_OF_ENTRY));
    expect([textOf('part'), textOf('n'.repeat(BYTES_OF_ENTRY))]).to.deep.equal([null, null]);
  });

  it('stay if one is larger than half of what they may take, which is not kept', () => {
    keep(1, 'text', 'a');
    keep(1, 'x'.repeat(3 * BYTES_OF_ENTRY), 'large');
    expect([textOf('a'), textOf('large')]).to.deep.equal(['text', null]);
  });

  it('are fresh until their lifetime ends, and not before they were stored', () => {
    keep(1, 'text');
    const latest = answers.find('org', '/blogs');
    const times = [NOW - 1, NOW, LATER - 1, LATER];
    expect(times.map((now) => latest && isFresh(latest, now))).to.deep.equal([false, true, true, false]);
  });
});
