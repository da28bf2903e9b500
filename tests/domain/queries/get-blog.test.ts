import { expect } from 'chai';
import { MemoryBlogReader } from '../../../src/adapters/memory/memory-blog-reader.js';
import { MemoryReadModel } from '../../../src/adapters/memory/memory-read-model.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { GetBlogByIdHandler } from '../../../src/domain/queries/get-blog-by-id.js';
import { GetBlogBySlugHandler } from '../../../src/domain/queries/get-blog-by-slug.js';
import { leadingWriter } from '../../support/leading-writer.js';
import { refusalOf } from '../../support/refusal-of.js';
import { SettableClock } from '../../support/settable-clock.js';

const row = aBlog({ id: 'blog', organizationId: 'org_a', websiteId: 'web_a1', slug: 'first' });
const { organizationId: _, foldedTitle, ...shown } = row;

describe('one blog', () => {
  let readModel: MemoryReadModel;

  beforeEach(async () => {
    readModel = new MemoryReadModel(new SettableClock());
    await leadingWriter(readModel).replace({ kind: 'blogs', ids: [row.id], rows: [row] });
  });

  describe('by id', () => {
    const get = (organizationId: string, id: string) =>
      new GetBlogByIdHandler(new MemoryBlogReader(readModel)).handle({ organizationId, id });

    it('is answered with its content', async () => {
      expect(await get('org_a', 'blog')).to.eql(shown);
    });

    for (const [what, organizationId, id] of [
      ['that there is not', 'org_a', 'unknown'],
      ['of another organization', 'org_b', 'blog'],
      ['whose id differs in case', 'org_a', 'BLOG'],
      ['with a slug for an id', 'org_a', 'first'],
    ] as const) {
      it(`is refused as not found for a blog ${what}`, async () => {
        expect(await refusalOf(get(organizationId, id))).to.equal('blog-not-found');
      });
    }
  });

  describe('by slug', () => {
    const get = (organizationId: string, websiteId: string, slug: string) =>
      new GetBlogBySlugHandler(new MemoryBlogReader(readModel)).handle({ organizationId, websiteId, slug });

    it('is answered with its content', async () => {
      expect(await get('org_a', 'web_a1', 'first')).to.eql(shown);
    });

    for (const [what, organizationId, websiteId, slug] of [
      ['that there is not', 'org_a', 'web_a1', 'unknown'],
      ['of another organization', 'org_b', 'web_a1', 'first'],
      ['of another website', 'org_a', 'web_a2', 'first'],
      ['whose slug differs in case', 'org_a', 'web_a1', 'First'],
      ['with an id for a slug', 'org_a', 'web_a1', 'blog'],
    ] as const) {
      it(`is refused as not found for a blog ${what}`, async () => {
        expect(await refusalOf(get(organizationId, websiteId, slug))).to.equal('blog-not-found');
      });
    }
  });
});
