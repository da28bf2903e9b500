import { expect } from 'chai';
import type { RowKind } from '../../domain/model/read-model.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import {
  itReadsRows,
  newBlog,
  newCategory,
  newKey,
  newOwner,
  newTag,
  type Owner,
} from './content-source.rows.js';
import { itFindsDependentRows } from './content-source.scopes.js';
import type { ContentSourceSubject } from './content-source.subject.js';

const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];
const MAKERS = { apiKeys: newKey, categories: newCategory, tags: newTag, blogs: newBlog };

export function contentSourceContract(
  runner: Runner,
  Adapter: AdapterClass<ContentSource>,
  makeSubject: () => Promise<ContentSourceSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a content source,`, () => {
    let source: ContentSource;
    let put: ContentSourceSubject['put'];
    let remove: ContentSourceSubject['remove'];
    let owner: Owner;

    beforeEach(async () => {
      ({ subject: source, put, remove } = await makeSubject());
      owner = newOwner();
    });

    const putNew = async (kind: RowKind, given = {}) => {
      const row = MAKERS[kind](owner, given);
      await put(kind, row);
      return row;
    };
    itIsTestedItself(runner, Adapter, () => source);

    for (const kind of KINDS) {
      it(`counts ${kind}, and nothing else`, async () => {
        const counts = () => Promise.all(KINDS.map((counted) => source.count(counted)));
        const before = await counts();
        const [first] = [await putNew(kind), await putNew(kind)];
        expect(await counts()).to.deep.equal(
          before.map((count, index) => count + (KINDS[index] === kind ? 2 : 0)),
        );
        await remove(kind, first.id);
        expect(await counts()).to.deep.equal(
          before.map((count, index) => count + (KINDS[index] === kind ? 1 : 0)),
        );
      });

      it(`walks the keys of ${kind} in one order, in steps of any length, without gap or repetition`, async () => {
        const prefix = freshId('row');
        const ends = [
          '\u{1f600}',
          '\uff21',
          'ä',
          'z',
          'a',
          'Z',
          'A',
          '10',
          '9',
          '',
          '-',
          "'",
          '\\',
          '%',
          '_',
        ];
        for (const end of ends) await putNew(kind, { id: prefix + end });
        const walks = await Promise.all([1, 4, 1_000].map((step) => walk(kind, step)));
        for (const walked of walks) {
          expect(walked).to.deep.equal(walks[0]);
          expect(new Set(walked)).to.have.property('size', walked.length);
          expect(walked).to.include.members(ends.map((end) => prefix + end));
        }
      });

      it(`continues after a key of ${kind} that was deleted meanwhile`, async () => {
        for (let n = 0; n < 3; n++) await putNew(kind);
        const walked = await walk(kind, 1_000);
        const index = walked.length - 2;
        await remove(kind, walked[index] ?? '');
        expect(await source.keys(kind, { kind: 'everything' }, walked[index] ?? '', 10)).to.deep.equal(
          walked.slice(index + 1),
        );
        expect(await source.keys(kind, { kind: 'everything' }, walked.at(-1) ?? '', 10)).to.deep.equal([]);
      });

      it(`reports which of ${kind} exist, and reads only those`, async () => {
        const [there, gone, unasked] = [await putNew(kind), await putNew(kind), await putNew(kind)];
        await remove(kind, gone.id);
        const ids = [there.id, gone.id, there.id.toUpperCase(), '%', ...TROUBLESOME_TEXTS];
        expect(await source.existing(kind, { kind: 'everything' }, ids)).to.deep.equal([there.id]);
        expect((await source.read(kind, ids)).rows.map(({ id }) => id)).to.deep.equal([there.id]);
        expect(await source.existing(kind, { kind: 'everything' }, [unasked.id])).to.deep.equal([unasked.id]);
        expect(await source.existing(kind, { kind: 'everything' }, [])).to.deep.equal([]);
        expect(await source.read(kind, [])).to.deep.equal({ ids: [], rows: [], refused: [] });
      });

      it(`reports which keys of ${kind} it has read, in the requested order, including deleted ones`, async () => {
        const [one, gone, other] = [await putNew(kind), await putNew(kind), await putNew(kind)];
        await remove(kind, gone.id);
        for (const ids of [
          [one.id, gone.id, other.id],
          [other.id, freshId('never'), gone.id, one.id],
          [gone.id],
        ]) {
          const reading = await source.read(kind, ids);
          expect(reading.ids).to.deep.equal(ids);
          const there = [one.id, other.id].filter((id) => ids.includes(id));
          expect(reading.rows.map(({ id }) => id)).to.have.members(there);
        }
      });
    }

    itReadsRows(runner, makeSubject);
    itFindsDependentRows(runner, makeSubject);

    async function walk(kind: RowKind, step: number): Promise<string[]> {
      const walked: string[] = [];
      for (;;) {
        const ids = await source.keys(kind, { kind: 'everything' }, walked.at(-1) ?? null, step);
        if (ids.length === 0) return walked;
        expect(ids.length).to.be.most(step);
        // A walk that goes back would never end.
        expect(walked).not.to.include(ids.at(-1));
        walked.push(...ids);
      }
    }
  });
}
