import { expect } from 'chai';
import type { TagRow } from '../domain/model/read-model.js';
import { RecordedSnapshot } from '../domain/model/snapshot.js';
import type { TagReader } from '../domain/ports/tag-reader.js';
import type { Runner } from './runner.js';
import { type AdapterClass, itIsTestedItself } from './support/adapter-class.js';
import { freshId } from './support/fresh-id.js';
import { aTag } from './support/rows.js';
import { TROUBLESOME_TEXTS } from './support/troublesome-values.js';

export interface TagReaderSubject {
  readonly subject: TagReader;
  /** Stores these tags for the reader. Each replaces the one with its id. */
  put(...tags: readonly TagRow[]): Promise<void>;
  remove(...ids: readonly string[]): Promise<void>;
}

export function tagReaderContract(
  runner: Runner,
  Adapter: AdapterClass<TagReader>,
  makeSubject: () => Promise<TagReaderSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a tag reader,`, () => {
    let reader: TagReader;
    let put: TagReaderSubject['put'];
    let remove: TagReaderSubject['remove'];
    let organizationId: string;

    beforeEach(async () => {
      ({ subject: reader, put, remove } = await makeSubject());
      organizationId = freshId('org');
    });

    const newTag = (given: Partial<TagRow> = {}) => aTag({ id: freshId('tag'), organizationId, ...given });

    itIsTestedItself(runner, Adapter, () => reader);

    it('lists nothing for an organization without content', async () => {
      expect(await reader.list(organizationId, null)).to.deep.equal([]);
      expect(await reader.list(organizationId, 'web_1')).to.deep.equal([]);
    });

    it('lists all tags of an organization, as they are and without its name', async () => {
      const tags = TROUBLESOME_TEXTS.map((text) =>
        newTag({ name: text, slug: text, color: text, websiteId: `web ${text}` }),
      );
      await put(...tags);
      const listed = await reader.list(organizationId, null);
      expect(listed).to.have.deep.members(tags.map(toListed));
    });

    it('lists the tags of one website, named exactly', async () => {
      const websiteIds = TROUBLESOME_TEXTS.map((text) => `web ${text}`);
      const tags = websiteIds.map((websiteId) => newTag({ websiteId }));
      await put(...tags);
      for (const [index, websiteId] of websiteIds.entries()) {
        expect((await reader.list(organizationId, websiteId)).map(({ id }) => id)).to.deep.equal([
          tags[index]?.id,
        ]);
      }
      for (const otherId of ['web_', 'web%', 'WEB null', '']) {
        expect(await reader.list(organizationId, otherId), otherId).to.deep.equal([]);
      }
    });

    it('separates organizations whose tags share websites and slugs', async () => {
      const shared = { websiteId: 'web_shared', slug: 'shared', name: 'Shared' };
      const tag = newTag(shared);
      const foreign = newTag({ ...shared, organizationId: freshId('org') });
      await put(tag, foreign);
      for (const websiteId of [null, 'web_shared']) {
        expect(await reader.list(organizationId, websiteId)).to.deep.equal([toListed(tag)]);
        expect(await reader.list(foreign.organizationId, websiteId)).to.deep.equal([toListed(foreign)]);
        for (const otherId of [freshId('org'), '', '%', organizationId.toUpperCase()]) {
          expect(await reader.list(otherId, websiteId), otherId).to.deep.equal([]);
        }
      }
    });

    it('shows at once that a tag was changed, moved or deleted', async () => {
      const tag = newTag();
      const moved = { ...tag, name: 'New name', organizationId: freshId('org') };
      await put(tag);
      await put({ ...tag, name: 'New name' });
      expect(await reader.list(organizationId, null)).to.deep.equal([toListed({ ...tag, name: 'New name' })]);
      await put(moved);
      expect(await reader.list(organizationId, null)).to.deep.equal([]);
      expect(await reader.list(moved.organizationId, null)).to.deep.equal([toListed(moved)]);
      await remove(tag.id);
      expect(await reader.list(moved.organizationId, null)).to.deep.equal([]);
    });

    it('returns what it has, however new the requested state is', async () => {
      const tag = newTag();
      await put(tag);
      for (const since of [0, Number.MAX_SAFE_INTEGER]) {
        const snapshot = new RecordedSnapshot(since);
        expect(await reader.list(organizationId, null, snapshot)).to.deep.equal([toListed(tag)]);
        expect(snapshot.generation).to.be.within(0, since);
      }
    });
  });
}

function toListed({ organizationId, ...tag }: TagRow) {
  return tag;
}
