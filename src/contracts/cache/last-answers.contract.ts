import { expect } from 'chai';
import type { Answer } from '../../domain/model/answer.js';
import type { LastAnswers } from '../../domain/ports/last-answers.js';
import type { ResponseCache } from '../../domain/ports/response-cache.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';

export interface LastAnswersSubject {
  readonly subject: LastAnswers;
  /** Stores the answers. */
  readonly cache: ResponseCache;
}

const LIFETIME_MS = 60_000;

export function lastAnswersContract(
  runner: Runner,
  Adapter: AdapterClass<LastAnswers>,
  makeSubject: () => Promise<LastAnswersSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, the last answers,`, () => {
    let last: LastAnswers;
    let cache: ResponseCache;
    let organizationId: string;
    const put = (generation: number, text: string, request = 'blogs') =>
      cache.put({ organizationId, generation, request }, anAnswer(text), LIFETIME_MS);
    const find = async (request = 'blogs', organization = organizationId) => {
      const answer = await last.find(organization, request);
      return answer && { generation: answer.generation, text: Buffer.from(answer.answer.body).toString() };
    };

    beforeEach(async () => {
      const made = await makeSubject();
      [last, cache] = [made.subject, made.cache];
      organizationId = freshId('org');
    });

    itIsTestedItself(runner, Adapter, () => last);

    it('have none for a request that was never stored', async () => {
      expect(await find()).to.equal(null);
    });

    it('are found whatever the generation is, with the one that they show', async () => {
      await put(7, 'seventh');
      expect(await find()).to.deep.equal({ generation: 7, text: 'seventh' });
    });

    it('are found to the byte, with their tag', async () => {
      const answer = { body: Uint8Array.from({ length: 256 }, (_, byte) => byte), etag: 'W/"of\nbytes"' };
      await cache.put({ organizationId, generation: 1, request: 'blogs' }, answer, LIFETIME_MS);
      const kept = await last.find(organizationId, 'blogs');
      expect(kept?.answer.etag).to.equal(answer.etag);
      expect([...(kept?.answer.body ?? [])]).to.deep.equal([...answer.body]);
    });

    it('report the end of their lifetime', async () => {
      await put(1, 'first');
      const { expiresAt = 0 } = (await last.find(organizationId, 'blogs')) ?? {};
      await put(2, 'second');
      expect((await last.find(organizationId, 'blogs'))?.expiresAt).to.be.at.least(expiresAt);
    });

    it('are those of the latest generation', async () => {
      await put(1, 'first');
      await put(2, 'second');
      expect(await find()).to.deep.equal({ generation: 2, text: 'second' });
    });

    it('belong to one organization and one request', async () => {
      await put(1, 'blogs');
      await put(1, 'tags', 'tags');
      expect(await find('tags')).to.deep.equal({ generation: 1, text: 'tags' });
      for (const request of ['', 'BLOGS', 'blogs?page=2']) expect(await find(request)).to.equal(null);
      for (const other of [freshId('org'), organizationId.toUpperCase(), '']) {
        expect(await find('blogs', other)).to.equal(null);
      }
    });

    it('can be forgotten one by one', async () => {
      await put(1, 'blogs');
      await put(1, 'tags', 'tags');
      await last.forget(organizationId, 'blogs');
      await last.forget(organizationId, 'unknown');
      expect(await find()).to.equal(null);
      expect(await find('tags')).to.deep.equal({ generation: 1, text: 'tags' });
    });

    it('can be stored again after they were forgotten', async () => {
      await put(1, 'first');
      await last.forget(organizationId, 'blogs');
      await put(2, 'second');
      expect(await find()).to.deep.equal({ generation: 2, text: 'second' });
    });
  });
}

function anAnswer(text: string): Answer {
  return { body: Buffer.from(text), etag: `"${text}"` };
}
