import { expect } from 'chai';
import { LastAnswers } from '../../../src/domain/answers/last-answers.js';
import { anAnswer } from './answers-from.js';

const BYTES_OF_ENTRY = 1_000;

describe('LastAnswers', () => {
  let last: LastAnswers;

  const keep = (generation: number, text: string, request = '/blogs', organizationId = 'org') =>
    last.keep(organizationId, request, { answer: anAnswer(text), generation, expiresAt: 10 });
  const textOf = (request = '/blogs', organizationId = 'org') => {
    const answer = last.find(organizationId, request);
    return answer && Buffer.from(answer.answer.body).toString();
  };

  beforeEach(() => {
    last = new LastAnswers(3 * (BYTES_OF_ENTRY + 30));
  });

  it('are those of the latest generation, whatever a slow reader keeps later', () => {
    expect(textOf()).to.equal(null);
    keep(1, 'first');
    keep(2, 'second');
    keep(1, 'late');
    expect(last.find('org', '/blogs')).to.deep.equal({
      answer: anAnswer('second'),
      generation: 2,
      expiresAt: 10,
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
    last.forget('org', '/blogs');
    last.forget('org', 'unknown');
    expect([textOf(), textOf('/tags')]).to.deep.equal([null, 'tags']);
    keep(1, 'again');
    expect(textOf()).to.equal('again');
  });

  it('are dropped once they take too much memory, those first that were not kept again for longest', () => {
    for (const request of ['a', 'b', 'c', 'a', 'd']) keep(1, 'text', request);
    expect(['a', 'b', 'c', 'd'].filter((request) => textOf(request) !== null)).to.deep.equal(['a', 'c', 'd']);
  });

  it('are bounded with the names of their requests', () => {
    keep(1, 'text', 'a');
    keep(1, 'text', 'n'.repeat(BYTES_OF_ENTRY));
    expect(textOf('a')).to.equal(null);
  });

  it('stay if one is larger than all of them may be, which is not kept', () => {
    keep(1, 'text', 'a');
    keep(1, 'x'.repeat(3 * BYTES_OF_ENTRY), 'large');
    expect([textOf('a'), textOf('large')]).to.deep.equal(['text', null]);
  });
});
