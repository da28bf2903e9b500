import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryCategoryReader } from '../../../src/contracts/fakes/memory-category-reader.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemoryTagReader } from '../../../src/contracts/fakes/memory-tag-reader.js';
import { aCategory, aTag } from '../../../src/contracts/support/rows.js';
import { RecordedSnapshot } from '../../../src/domain/model/snapshot.js';
import { ListCategoriesHandler } from '../../../src/domain/queries/list-categories.js';
import { ListTagsHandler } from '../../../src/domain/queries/list-tags.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('The lists of categories and tags', () => {
  for (const Handler of [ListCategoriesHandler, ListTagsHandler]) {
    it(`are read with the snapshot of the request: ${Handler.name}`, async () => {
      const snapshot = new RecordedSnapshot(7);
      const list = sinon.fake.resolves([]);
      await new Handler({ list }).handle({ organizationId: 'org_a', websiteId: 'web_a1', snapshot });

      expect(list.args).to.eql([['org_a', 'web_a1', snapshot]]);
    });
  }
});

describe('The list of categories', () => {
  let readModel: MemoryReadModel;

  const list = (organizationId: string, websiteId: string | null = null) =>
    new ListCategoriesHandler(new MemoryCategoryReader(readModel)).handle({
      organizationId,
      websiteId,
      snapshot: new RecordedSnapshot(0),
    });

  beforeEach(async () => {
    readModel = new MemoryReadModel(new SettableClock());
    const rows = [
      aCategory({ id: '4', sortOrder: 2, name: 'A' }),
      aCategory({ id: '3', sortOrder: 1, name: 'Äpfel', websiteId: 'web_a2' }),
      aCategory({ id: '2', sortOrder: 1, name: 'Apfel' }),
      aCategory({ id: '1', sortOrder: 1, name: 'Apfel', parentId: '4' }),
      aCategory({ id: 'other', organizationId: 'org_b' }),
    ];
    await leadingWriter(readModel).replace({ kind: 'categories', ids: idsOf(rows), rows });
  });

  it('is sorted by sortOrder, name and id, over all websites', async () => {
    expect(idsOf(await list('org_a'))).to.eql(['1', '2', '3', '4']);
  });

  it('contains only one website if that is requested', async () => {
    expect(idsOf(await list('org_a', 'web_a2'))).to.eql(['3']);
  });

  it('is empty for a website that is unknown or belongs to another organization', async () => {
    expect(await list('org_a', 'unknown')).to.eql([]);
    expect(await list('org_b', 'web_a2')).to.eql([]);
  });

  it('shows each category with its parent', async () => {
    expect((await list('org_a'))[0]).to.eql({
      id: '1',
      websiteId: 'web_a1',
      name: 'Apfel',
      slug: 'slug-of-1',
      description: '',
      parentId: '4',
      sortOrder: 1,
    });
  });
});

describe('The list of tags', () => {
  let readModel: MemoryReadModel;

  const list = (organizationId: string, websiteId: string | null = null) =>
    new ListTagsHandler(new MemoryTagReader(readModel)).handle({
      organizationId,
      websiteId,
      snapshot: new RecordedSnapshot(0),
    });

  beforeEach(async () => {
    readModel = new MemoryReadModel(new SettableClock());
    const rows = [
      aTag({ id: '4', name: 'Zoo' }),
      aTag({ id: '3', name: 'Äpfel', websiteId: 'web_a2' }),
      aTag({ id: '2', name: 'Apfel' }),
      aTag({ id: '1', name: 'Apfel' }),
      aTag({ id: 'other', organizationId: 'org_b' }),
    ];
    await leadingWriter(readModel).replace({ kind: 'tags', ids: idsOf(rows), rows });
  });

  it('is sorted by name and id, over all websites', async () => {
    expect(idsOf(await list('org_a'))).to.eql(['1', '2', '3', '4']);
  });

  it('contains only one website if that is requested', async () => {
    expect(idsOf(await list('org_a', 'web_a2'))).to.eql(['3']);
  });

  it('is empty for a website that is unknown or belongs to another organization', async () => {
    expect(await list('org_a', 'unknown')).to.eql([]);
    expect(await list('org_b', 'web_a2')).to.eql([]);
  });

  it('shows each tag with its color', async () => {
    expect((await list('org_a'))[0]).to.eql({
      id: '1',
      websiteId: 'web_a1',
      name: 'Apfel',
      slug: 'slug-of-1',
      color: '#336699',
    });
  });
});
