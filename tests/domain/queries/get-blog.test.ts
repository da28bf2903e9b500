import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryBlogReader } from '../../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { RecordedSnapshot } from '../../../src/domain/model/snapshot.js';
import { GetBlogByIdHandler } from '../../../src/domain/queries/get-blog-by-id.js';
import { GetBlogBySlugHandler } from '../../../src/domain/queries/get-blog-by-slug.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { refusalOf } from '../refusal-of.js';

const row = aBlog({ id: 'blog', organizationId: 'org_a', websiteId: 'web_a1', slug: 'first' });
const { organizationId: _, foldedTitle, ...shown } = row;

describe('One blog', () => {
  let readModel: MemoryReadModel;

  it('is read with the snapshot of the request', async () => {
    const snapshot = new RecordedSnapshot(7);
    const [findById, findBySlug] = [sinon.fake.resolves(shown), sinon.fake.resolves(shown)];
    const reader = { list: sinon.fake(), findById, findBySlug };
    await new GetBlogByIdHandler(reader).handle({ organizationId: 'org_a', id: 'blog', snapshot });
    await new GetBlogBySlugHandler(reader).handle({
      organizationId: 'org_a',
      websiteId: 'web_a1',
      slug: 'first',
      snapshot,
    });

    expect(findById.args).to.eql([['org_a', 'blog', snapshot]]);
    expect(findBySlug.args).to.eql([['org_a', 'web_a1', 'first', snapshot]]);
  });

  beforeEach(async () => {
    readModel = new MemoryReadModel(new SettableClock());
    await leadingWriter(readModel).replace({ kind: 'blogs', ids: [row.id], rows: [row] });
  });

  describe('by id', () => {
    const get = (organizationId: string, id: string) =>
      new GetBlogByIdHandler(new MemoryBlogReader(readModel)).handle({
        organizationId,
        id,
        snapshot: new RecordedSnapshot(0),
      });

    it('is returned with its content', async () => {
      expect(await get('org_a', 'blog')).to.eql(shown);
    });

    for (const [what, organizationId, id] of [
      ['that does not exist', 'org_a', 'unknown'],
      ['of another organization', 'org_b', 'blog'],
      ['whose id differs in case', 'org_a', 'BLOG'],
      ['with a slug as its id', 'org_a', 'first'],
    ] as const) {
      it(`is reported as not found for a blog ${what}`, async () => {
        expect(await refusalOf(get(organizationId, id))).to.equal('blog-not-found');
      });
    }
  });

  describe('by slug', () => {
    const get = (organizationId: string, websiteId: string, slug: string) =>
      new GetBlogBySlugHandler(new MemoryBlogReader(readModel)).handle({
        organizationId,
        websiteId,
        slug,
        snapshot: new RecordedSnapshot(0),
      });

    it('is returned with its content', async () => {
      expect(await get('org_a', 'web_a1', 'first')).to.eql(shown);
    });

    for (const [what, organizationId, websiteId, slug] of [
      ['that does not exist', 'org_a', 'web_a1', 'unknown'],
      ['of another organization', 'org_b', 'web_a1', 'first'],
      ['of another website', 'org_a', 'web_a2', 'first'],
      ['whose slug differs in case', 'org_a', 'web_a1', 'First'],
      ['with an id as its slug', 'org_a', 'web_a1', 'blog'],
    ] as const) {
      it(`is reported as not found for a blog ${what}`, async () => {
        expect(await refusalOf(get(organizationId, websiteId, slug))).to.equal('blog-not-found');
      });
    }
  });
});
