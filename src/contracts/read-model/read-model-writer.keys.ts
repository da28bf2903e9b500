import { expect } from 'chai';
import type { WideScope } from '../../domain/model/job.js';
import type { RowKind, RowTypes } from '../../domain/model/read-model.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Runner } from '../runner.js';
import { freshId } from '../support/fresh-id.js';
import { LeadingWriter } from '../support/leading-writer.js';
import { aBlog, aCategory, aKey, anUnshownRow, aTag } from '../support/rows.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

/** Rows of each kind. */
export const MAKERS: {
  readonly [Kind in RowKind]: (row: { id: string; organizationId: string }) => RowTypes[Kind];
} = {
  apiKeys: aKey,
  categories: aCategory,
  tags: aTag,
  blogs: aBlog,
};

// UTF-16 units would swap the last two. Most human collations would reorder the others.
const ENDS_BY_CODE_POINT = ['', '%', "'", '-', '10', '9', 'Z', '\\', 'a', 'z', 'ä', '\uff21', '\u{1f600}'];

/** The part of the read model writer's contract about walks over keys and organizations. */
export function itWalksKeys(runner: Runner, makeSubject: () => Promise<ReadModelWriterSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('asked for keys,', () => {
    let subject: ReadModelWriter;
    let writer: LeadingWriter;

    beforeEach(async () => {
      const given = await makeSubject();
      subject = given.subject;
      writer = new LeadingWriter(subject, given.leadership);
    });

    async function putKeys<Kind extends RowKind>(kind: Kind, ends: readonly string[]): Promise<string> {
      const [prefix, organizationId] = [freshId('key'), freshId('org')];
      const rows = ends.map((end) => MAKERS[kind]({ id: prefix + end, organizationId }));
      await writer.replace({ kind, ids: rows.map(({ id }) => id), rows });
      return prefix;
    }

    async function walk(
      kind: RowKind,
      start: string | null,
      step: number,
      prefix: string,
    ): Promise<string[]> {
      const walked: string[] = [];
      for (let after = start; ; after = walked.at(-1) ?? null) {
        const ids = await writer.keys(kind, { kind: 'everything' }, after, step);
        expect(ids.length).to.be.most(step);
        // A walk that goes back would never end.
        expect(walked).not.to.include(ids.at(-1) ?? null);
        walked.push(...ids);
        if (ids.length === 0 || (start !== null && !ids.at(-1)?.startsWith(prefix))) return walked;
      }
    }

    for (const kind of Object.keys(MAKERS) as RowKind[]) {
      it(`walks the keys of ${kind} by code point, in steps of any length, without gap or repetition`, async () => {
        const prefix = await putKeys(kind, ENDS_BY_CODE_POINT.toReversed());
        const justBefore = prefix.slice(0, -1);
        for (const [start, step] of [
          [null, 50],
          [justBefore, 1],
          [justBefore, 4],
          [justBefore, ENDS_BY_CODE_POINT.length],
        ] as const) {
          const walked = await walk(kind, start, step, prefix);
          const ends = walked.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
          expect(ends, `from ${start} in steps of ${step}`).to.deep.equal(ENDS_BY_CODE_POINT);
          expect(new Set(walked)).to.have.property('size', walked.length);
        }
      });
    }

    it('includes the keys of unshown rows, each once and in order', async () => {
      const prefix = await putKeys('tags', ['a', 'c', 'e']);
      const unshown = ['f', 'b', 'c'].map((end) => anUnshownRow(prefix + end, 'for a reason'));
      const slice = { kind: 'tags', ids: unshown.map(({ id }) => id), rows: [], unshown } as const;
      await subject.write(await writer.epoch(), { slices: [slice], jobs: [] });
      for (const step of [1, 5]) {
        const walked = await walk('tags', prefix.slice(0, -1), step, prefix);
        const ends = walked.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
        expect(ends, `steps of ${step}`).to.deep.equal(['a', 'b', 'c', 'e', 'f']);
      }
      expect(await writer.keys('categories', { kind: 'everything' }, prefix, 1)).not.to.include(`${prefix}b`);
    });

    it('continues after a key that was deleted or never existed, and ends after the last one', async () => {
      const prefix = await putKeys('tags', ['a', 'b', 'd']);
      await writer.replace({ kind: 'tags', ids: [`${prefix}b`], rows: [] });
      for (const after of ['a', 'aaa', 'b', 'c']) {
        expect(await writer.keys('tags', { kind: 'everything' }, prefix + after, 1), after).to.deep.equal([
          `${prefix}d`,
        ]);
      }
      expect(await writer.keys('tags', { kind: 'everything' }, '\u{10ffff}', 10)).to.deep.equal([]);
    });
  });

  describe('asked for keys of rows that show content of others,', () => {
    it('finds those of categories, of tags and of websites, in steps', async () => {
      const given = await makeSubject();
      const writer = new LeadingWriter(given.subject, given.leadership);
      const organizationId = freshId('org');
      const [web, other] = [freshId('web'), freshId('web')];
      const put = async <Kind extends RowKind>(kind: Kind, row: RowTypes[Kind]) => {
        await writer.replace({ kind, ids: [row.id], rows: [row] });
        return row;
      };
      const inWeb = () => ({ organizationId, websiteId: web });
      const inOther = () => ({ organizationId, websiteId: other });
      const category = await put('categories', aCategory({ id: freshId('category'), ...inWeb() }));
      const child = await put(
        'categories',
        aCategory({ id: freshId('child'), ...inOther(), parentId: category.id }),
      );
      const tag = await put('tags', aTag({ id: freshId('tag'), ...inWeb() }));
      await put('tags', aTag({ id: freshId('tag'), ...inOther() }));
      const ofCategory = await put(
        'blogs',
        aBlog({ id: freshId('blog'), ...inOther(), categories: [category] }),
      );
      const ofTag = await put('blogs', aBlog({ id: freshId('blog'), ...inOther(), tags: [tag] }));
      const ofWebsite = await put('blogs', aBlog({ id: freshId('blog'), ...inWeb() }));
      const ofChild = await put('blogs', aBlog({ id: freshId('blog'), ...inOther(), categories: [child] }));

      const expected = [
        [{ kind: 'categories', keys: [category.id] }, [child], [], [ofCategory]],
        [{ kind: 'categories', keys: [category.id, child.id] }, [child], [], [ofCategory, ofChild]],
        [{ kind: 'tags', keys: [tag.id] }, [], [], [ofTag]],
        [{ kind: 'websites', keys: [web] }, [category, child], [tag], [ofCategory, ofTag, ofWebsite]],
        [{ kind: 'websites', keys: [] }, [], [], []],
      ] as const satisfies readonly (readonly [WideScope, ...unknown[]])[];
      for (const [scope, categories, tags, blogs] of expected) {
        for (const [kind, rows] of Object.entries({ apiKeys: [], categories, tags, blogs })) {
          const walked: string[] = [];
          for (;;) {
            const [next] = await writer.keys(kind as RowKind, scope, walked.at(-1) ?? null, 1);
            if (next === undefined) break;
            walked.push(next);
          }
          const ids = rows.map(({ id }) => id).sort();
          expect(walked, `${kind} of ${scope.kind}`).to.deep.equal(ids);
        }
      }
    });
  });

  describe('asked for organizations,', () => {
    const MANY = 100;
    let subject: ReadModelWriter;
    let writer: LeadingWriter;
    let prefix: string;

    beforeEach(async () => {
      const given = await makeSubject();
      subject = given.subject;
      writer = new LeadingWriter(subject, given.leadership);
      prefix = freshId('org');
    });

    const putTags = (ends: readonly string[]) => {
      const rows = ends.map((end) => aTag({ id: freshId('tag'), organizationId: prefix + end }));
      return writer.replace({ kind: 'tags', ids: rows.map(({ id }) => id), rows });
    };
    const after = async (start: string, limit: number) =>
      (await subject.nextOrganizations(prefix + start, limit))
        .filter((id) => id.startsWith(prefix))
        .map((id) => id.slice(prefix.length));

    it('returns those that follow by code point, no more than the limit, and none after the last one', async () => {
      const ends = ENDS_BY_CODE_POINT.slice(1);
      await putTags(ends.toReversed());
      expect(await after('', MANY)).to.deep.equal(ends);
      for (const [index, end] of ends.entries()) {
        expect(await after(end, 2), `after ${end}`).to.deep.equal(ends.slice(index + 1, index + 3));
      }
      expect(await subject.nextOrganizations('\u{10ffff}', MANY)).to.deep.equal([]);
      expect(await subject.nextOrganizations(null, 1)).to.have.length(1);
    });
  });
}
