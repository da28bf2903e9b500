import { expect } from 'chai';
import type { RaisedGeneration, TagRow } from '../../domain/model/read-model.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import type { Lacking } from '../support/capabilities.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { LeadingWriter } from '../support/leading-writer.js';
import { aTag } from '../support/rows.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import { itHidesTermsOfMovedWebsites } from './read-model-writer.hidden-terms.js';
import { itHidesMovedWebsites } from './read-model-writer.hidden-websites.js';
import { itWalksKeys } from './read-model-writer.keys.js';
import { itWritesOnlyForTheLeader } from './read-model-writer.lead.js';
import { itStoresRowsExactly } from './read-model-writer.rows.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';
import { itNotesUnshownRows } from './read-model-writer.unshown.js';
import { itRefusesWhatItCannotStore } from './read-model-writer.unstorable.js';

export function readModelWriterContract(
  runner: Runner,
  Adapter: AdapterClass<ReadModelWriter>,
  makeSubject: () => Promise<ReadModelWriterSubject>,
  lacking: Lacking<'unstorable'> = {},
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a read model writer,`, () => {
    let writer: LeadingWriter;
    let readers: ReadModelWriterSubject;
    let organizationId: string;

    beforeEach(async () => {
      readers = await makeSubject();
      writer = new LeadingWriter(readers.subject, readers.leadership);
      organizationId = freshId('org');
    });

    const newTag = (given: Partial<TagRow> = {}) => aTag({ id: freshId('tag'), organizationId, ...given });
    const put = (...rows: readonly TagRow[]) => writer.replace({ kind: 'tags', ids: idsOf(rows), rows });
    const remove = (...rows: readonly TagRow[]) =>
      writer.replace({ kind: 'tags', ids: idsOf(rows), rows: [] });
    /** The current generations, which the writer has to report as raised. */
    const nowOf = (...organizations: readonly string[]): Promise<RaisedGeneration[]> =>
      Promise.all(
        organizations.map(async (organization) => ({
          organizationId: organization,
          generation: await generationOf(organization),
        })),
      );
    const namesIn = async (organization: string) =>
      (await readers.tags.list(organization, null)).map(({ name }) => name).toSorted();
    const generationOf = (organization: string) => currentGeneration(readers.generations, organization);
    const generationsOf = (organizations: readonly string[]) => Promise.all(organizations.map(generationOf));

    itIsTestedItself(runner, Adapter, () => readers.subject);

    it('adds, changes and removes rows in one call, leaves all others, and counts what changed', async () => {
      const [same, changing, going] = [newTag({ name: 'same' }), newTag(), newTag()];
      const first = await put(same, changing, going, newTag({ name: 'other' }));
      expect(first.changedRows).to.equal(4);
      const coming = newTag({ name: 'new' });
      const ids = idsOf([same, changing, going, coming]);
      const rows = [coming, { ...changing, name: 'changed' }, same];
      const second = await writer.replace({ kind: 'tags', ids, rows });
      expect(second.changedRows).to.equal(3);
      expect(await namesIn(organizationId)).to.deep.equal(['changed', 'new', 'other', 'same']);
    });

    it('changes nothing the second time, and raises no generation then', async () => {
      const rows = [newTag(), newTag(), newTag({ organizationId: freshId('org') })];
      const ids = [...idsOf(rows), freshId('gone')];
      const organizations = rows.map((row) => row.organizationId);
      await writer.replace({ kind: 'tags', ids, rows });
      const before = await generationsOf(organizations);
      const again = [
        await writer.replace({ kind: 'tags', ids, rows }),
        await writer.replace({ kind: 'tags', ids: ids.toReversed(), rows: rows.toReversed() }),
        await remove(newTag()),
        await writer.replace({ kind: 'tags', ids: [], rows: [] }),
      ];
      for (const change of again) expect(change).to.deep.equal({ changedRows: 0, raised: [] });
      expect(await generationsOf(organizations)).to.deep.equal(before);
    });

    it('raises the generation of each organization in which something changed, and of no other', async () => {
      const [adding, changing, removing, staying] = ['adding', 'changing', 'removing', 'staying'].map(
        (name) => newTag({ organizationId: freshId(name) }),
      ) as [TagRow, TagRow, TagRow, TagRow];
      const all = [adding, changing, removing, staying];
      const organizations = all.map((row) => row.organizationId);
      await put(changing, removing, staying);
      const before = await generationsOf(organizations);
      const rows = [adding, { ...changing, color: '#000000' }, staying];
      const { raised } = await writer.replace({ kind: 'tags', ids: idsOf(all), rows });
      const after = await generationsOf(organizations);
      expect(after.map((generation, index) => generation > (before[index] ?? 0))).to.deep.equal([
        true,
        true,
        true,
        false,
      ]);
      expect(after.at(-1)).to.equal(before.at(-1));
      expect(raised).to.have.deep.members(await nowOf(...organizations.slice(0, -1)));
    });

    it('moves a row to another organization: one row changes, and both generations rise', async () => {
      const [row, newHome] = [newTag({ websiteId: freshId('web') }), freshId('org')];
      await put(row, newTag({ organizationId: newHome, name: 'resident' }));
      const [oldBefore, newBefore] = [await generationOf(organizationId), await generationOf(newHome)];
      const change = await put({ ...row, organizationId: newHome, name: 'moved' });
      expect(await namesIn(organizationId)).to.deep.equal([]);
      expect(await namesIn(newHome)).to.deep.equal(['moved', 'resident']);
      expect(await generationOf(organizationId)).to.be.greaterThan(oldBefore);
      expect(await generationOf(newHome)).to.be.greaterThan(newBefore);
      expect(change.changedRows).to.equal(1);
      expect(change.raised).to.have.deep.members(await nowOf(organizationId, newHome));
    });

    it('returns the generation that each change raised, once for each organization, however many rows changed', async () => {
      const organizations = [
        organizationId,
        freshId('org'),
        ...TROUBLESOME_TEXTS.map((text) => freshId('org') + text),
      ];
      const rows = organizations.flatMap((id) => [
        newTag({ organizationId: id }),
        newTag({ organizationId: id }),
      ]);
      for (const change of [() => put(...rows), () => remove(...rows), () => put(...rows)]) {
        const { changedRows, raised } = await change();
        expect(changedRows).to.equal(rows.length);
        expect(raised).to.have.deep.members(await nowOf(...organizations));
        for (const { generation } of raised) expect(generation).to.satisfy(Number.isSafeInteger);
      }
    });

    it('returns a separate generation for each of many concurrent changes', async () => {
      const changes = await Promise.all(Array.from({ length: 10 }, () => put(newTag())));
      const generations = changes.flatMap(({ raised }) => raised.map(({ generation }) => generation));
      expect(new Set(generations)).to.have.property('size', changes.length);
      expect(await generationOf(organizationId)).to.equal(Math.max(...generations));
    });

    it('leaves a row of one kind alone when the same id of another kind changes', async () => {
      const tag = newTag({ name: 'stays' });
      await put(tag);
      for (const kind of ['apiKeys', 'categories', 'blogs'] as const) {
        const change = await writer.replace({ kind, ids: [tag.id], rows: [] });
        expect(change, kind).to.deep.equal({ changedRows: 0, raised: [] });
      }
      expect(await namesIn(organizationId)).to.deep.equal(['stays']);
    });

    it('lets two rows swap their slugs, one after the other', async () => {
      const [one, other] = [newTag({ slug: 'one' }), newTag({ slug: 'other' })];
      await put(one, other);
      await put({ ...one, slug: 'other' });
      await put({ ...other, slug: 'one' });
      const slugs = (await readers.tags.list(organizationId, null)).map(({ id, slug }) => ({
        id,
        slug,
      }));
      expect(slugs).to.have.deep.members([
        { id: one.id, slug: 'other' },
        { id: other.id, slug: 'one' },
      ]);
    });

    it('accepts many concurrent slices that change the same organizations', async () => {
      const organizations = [freshId('org'), freshId('org')];
      const slices = Array.from({ length: 10 }, (_, n) =>
        (n % 2 ? organizations : organizations.toReversed()).map((id) => newTag({ organizationId: id })),
      );
      await Promise.all(slices.map((rows) => put(...rows)));
      for (const id of organizations) expect(await namesIn(id)).to.have.length(10);
      await Promise.all(slices.map((rows) => remove(...rows)));
      for (const id of organizations) expect(await namesIn(id)).to.deep.equal([]);
    });

    it('shows a reader of a generation nothing older than the change that raised it', async () => {
      const row = newTag({ name: '0' });
      const generationOfVersion: number[] = [];
      let isOver = false;
      const writing = (async () => {
        for (let version = 0; version < 20; version++) {
          await put({ ...row, name: String(version) });
          generationOfVersion.push(await generationOf(organizationId));
        }
        isOver = true;
      })();
      const seen: { generation: number; version: number }[] = [];
      while (!isOver) {
        const generation = await generationOf(organizationId);
        seen.push({ generation, version: Number((await namesIn(organizationId))[0] ?? -1) });
      }
      await writing;
      for (const { generation, version } of seen) {
        const due = generationOfVersion.findLastIndex((raised) => raised <= generation);
        expect(version, `under generation ${generation}`).to.be.least(due);
      }
      expect(generationOfVersion).to.deep.equal([...new Set(generationOfVersion)].toSorted((a, b) => a - b));
    });

    itWalksKeys(runner, makeSubject);
    itStoresRowsExactly(runner, makeSubject);
    itWritesOnlyForTheLeader(runner, makeSubject);
    itNotesUnshownRows(runner, makeSubject);
    itRefusesWhatItCannotStore(runner, makeSubject, lacking);
    itHidesMovedWebsites(runner, makeSubject);
    itHidesTermsOfMovedWebsites(runner, makeSubject);
  });
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
