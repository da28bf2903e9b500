import { expect } from 'chai';
import type { JobUpdate, Scope } from '../../domain/model/job.js';
import type { ReadModelSlice } from '../../domain/model/read-model.js';
import type { Runner } from '../runner.js';
import { freshId } from '../support/fresh-id.js';
import { LeadingWriter } from '../support/leading-writer.js';
import { aBlog, aCategory, anUnshownRow, aTag } from '../support/rows.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

/** The part of the contract about terms of a website that moved, in rows that stay. */
export function itHidesTermsOfMovedWebsites(
  { describe, it, beforeEach }: Runner,
  makeSubject: () => Promise<ReadModelWriterSubject>,
): void {
  describe('of a website whose terms are shown in others,', () => {
    let given: ReadModelWriterSubject;
    let writer: LeadingWriter;
    let [former, successor, website, kept] = ['', '', '', ''];

    beforeEach(async () => {
      given = await makeSubject();
      writer = new LeadingWriter(given.subject, given.leadership);
      [former, successor] = [freshId('former'), freshId('successor')];
      [website, kept] = [freshId('moved'), freshId('kept')];
      await terms(former);
      await replace('categories', child(`category ${website}`));
      await replace('blogs', blog());
    });

    const replace = (kind: ReadModelSlice['kind'], row: { id: string }) =>
      writer.replace({ kind, ids: [row.id], rows: [row] as never });
    const terms = async (organizationId: string, websiteId = website) => {
      const [category, tag] = [`category ${website}`, `tag ${website}`];
      await replace('categories', aCategory({ id: category, organizationId, websiteId, slug: category }));
      await replace('tags', aTag({ id: tag, organizationId, websiteId, slug: tag }));
    };
    const child = (parentId: string | null) =>
      aCategory({ id: `child ${kept}`, organizationId: former, websiteId: kept, parentId });
    const blog = () => {
      const term = (kind: string) => ({ id: `${kind} ${website}`, name: kind, slug: `${kind} ${website}` });
      const id = `blog ${kept}`;
      const lists = { categories: [term('category')], tags: [term('tag')] };
      return aBlog({ id, organizationId: former, websiteId: kept, ...lists });
    };
    const write = async (jobs: readonly JobUpdate[], owner?: string) => {
      const owners = owner === undefined ? [] : [{ websiteId: website, organizationId: owner }];
      return given.subject.write(await writer.epoch(), { slices: [], owners, jobs });
    };
    const add = (scope: Scope): JobUpdate => ({ kind: 'add', scope });
    const noteChange = (owner: string) => write([add({ kind: 'websites', keys: [website] })], owner);
    const unfinished = async (key: string) => {
      const jobs = await given.jobs.unfinished(['websites']);
      return jobs.filter(({ scope }) => 'keys' in scope && scope.keys.includes(key)).map(({ id }) => id);
    };
    const finish = async (...ids: readonly (number | undefined)[]) =>
      write(ids.map((id) => ({ kind: 'finish', id: id ?? 0 })));
    const shownTerms = async () => {
      const blogRow = await given.blogs.findById(former, `blog ${kept}`);
      const parents = (await given.categories.list(former, kept)).map(({ parentId }) => parentId);
      return (
        [...(blogRow?.categories ?? []), ...(blogRow?.tags ?? [])].length + parents.filter(Boolean).length
      );
    };
    const isHidden = async () => (await given.subject.hiddenWebsites()).includes(website);

    for (const [how, isNoted] of [
      ['with a change', true],
      ['without a change', false],
    ] as const) {
      it(`shows none of them after they have moved, until the rows that list them are rewritten: ${how}`, async () => {
        expect(await shownTerms()).to.equal(3);
        if (isNoted) await noteChange(successor);
        await terms(successor);
        expect(await shownTerms()).to.equal(0);
        await finish(0);
        if (isNoted) await noteChange(successor);
        expect([await shownTerms(), await isHidden()]).to.deep.equal([0, true]);
        const ids = await unfinished(website);
        expect(ids).to.have.length(1);
        await finish(...ids);
        expect(await isHidden()).to.equal(false);
      });
    }

    it('raises the generation of the organizations that show them, though they are not named', async () => {
      const { raised } = await replace(
        'tags',
        aTag({ id: `tag ${website}`, organizationId: successor, websiteId: website }),
      );
      expect(raised.map((raise) => raise.organizationId)).to.include(former);
      expect(await shownTerms()).to.equal(0);
    });

    it('shows none of them after they have moved on to another website', async () => {
      await noteChange(successor);
      await terms(successor);
      await terms(successor, freshId('third'));
      expect(await shownTerms()).to.equal(0);
    });

    it('shows all of them at once when it comes back', async () => {
      await noteChange(successor);
      await terms(successor);
      await terms(former);
      expect([await shownTerms(), await isHidden()]).to.deep.equal([3, true]);
      await finish(...(await unfinished(website)));
      expect([await shownTerms(), await isHidden()]).to.deep.equal([3, false]);
    });

    it('keeps them hidden for rows with which the job failed', async () => {
      await noteChange(successor);
      await terms(successor);
      const id = `blog ${kept}`;
      const unshown = [anUnshownRow(id, 'takes too long')];
      const set = async (slice: ReadModelSlice) =>
        given.subject.write(await writer.epoch(), { slices: [slice], jobs: [] });
      await set({ kind: 'blogs', ids: [], rows: [], unshown });
      await finish(...(await unfinished(website)));
      expect([await shownTerms(), await isHidden()]).to.deep.equal([0, true]);
      await set({ kind: 'blogs', ids: [id], rows: [], unshown: [] });
      expect(await isHidden()).to.equal(false);
    });

    it('does not wait for later jobs', async () => {
      await noteChange(successor);
      await terms(successor);
      const [first] = await unfinished(website);
      const progress = { stage: 0, after: null, done: 0, total: null };
      await write([{ kind: 'advance', id: Number(first), progress }]);
      await noteChange(successor);
      expect(await unfinished(website)).to.have.length(2);
      await finish(first);
      expect(await isHidden()).to.equal(false);
    });

    it('requires no job if a single row moves to a website of another organization', async () => {
      const other = freshId('other');
      await terms(successor, other);
      expect(await unfinished(other)).to.deep.equal([]);
      expect(await isHidden()).to.equal(false);
    });
  });
}
