import { expect } from 'chai';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { projections } from '../../../src/domain/policies/projection.js';
import { aLinkedCategory, aLinkedTag, aSourceTag } from '../../application/sync/source-terms.js';

describe('The projection of a blog', () => {
  const projected = (given: Parameters<typeof aSourceBlog>[0]) => projections.blogs(aSourceBlog(given));
  const idsOf = (terms: readonly { id: string }[] | undefined) => terms?.map(({ id }) => id);

  it('copies every field of a published blog, and adds the folded title', () => {
    const { status, ...shown } = aSourceBlog({
      id: 'blog',
      organizationId: 'org_b',
      websiteId: 'web_b1',
      title: 'ÉCOLE Straße',
      slug: 'ecole',
      excerpt: 'Excerpt',
      metaTitle: 'Meta title',
      metaDescription: 'Meta description',
      featuredImageUrl: 'https://example.com/image.png',
      featuredImageAlt: 'Alt',
      contentHtml: '<p>Content</p>',
      wordCount: 321,
      readingTimeMinutes: 2,
      publishedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    });

    expect(projections.blogs({ ...shown, status })).to.eql({ ...shown, foldedTitle: 'école strasse' });
  });

  it('keeps null for missing values', () => {
    expect(projected({ id: 'blog' })).to.include({
      excerpt: null,
      metaTitle: null,
      metaDescription: null,
      featuredImageUrl: null,
      featuredImageAlt: null,
    });
  });

  for (const status of ['draft', 'scheduled', 'archived', 'Published', '']) {
    it(`returns null for a blog whose status is "${status}"`, () => {
      expect(projected({ id: 'blog', status })).to.equal(null);
    });
  }

  it('shows a published blog, whatever its date', () => {
    for (const publishedAt of [Date.UTC(1, 0, 1), 0, Date.UTC(9999, 11, 31)]) {
      expect(projected({ id: 'blog', publishedAt })).to.include({ publishedAt });
    }
  });

  it('keeps a date that no calendar can show, and turns a missing one into NaN: the row is refused later', () => {
    for (const publishedAt of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
      expect(projected({ id: 'blog', publishedAt })).to.deep.include({ publishedAt });
    }
    expect(projected({ id: 'blog', publishedAt: null })).to.deep.include({ publishedAt: Number.NaN });
  });

  it('keeps only id, name and slug of its terms', () => {
    const blog = projected({
      id: 'blog',
      categories: [aLinkedCategory({ id: 'category', name: 'Category', slug: 'c', sortOrder: 7 })],
      tags: [aLinkedTag({ id: 'tag', name: 'Tag', slug: 't' })],
    });

    expect(blog?.categories).to.eql([{ id: 'category', name: 'Category', slug: 'c' }]);
    expect(blog?.tags).to.eql([{ id: 'tag', name: 'Tag', slug: 't' }]);
  });

  it('omits terms of another organization, and keeps those of its own in another website', () => {
    const blog = projected({
      id: 'blog',
      organizationId: 'org_a',
      categories: [aLinkedCategory({ id: 'own' }), aLinkedCategory({ id: 'other', organizationId: 'org_b' })],
      tags: [aLinkedTag({ id: 'other', organizationId: 'org_b' }), aLinkedTag({ id: 'own' })],
    });

    expect(idsOf(blog?.categories)).to.eql(['own']);
    expect(idsOf(blog?.tags)).to.eql(['own']);
  });

  it('sorts its categories by sortOrder, name and id', () => {
    const categories = [
      aLinkedCategory({ id: '5', sortOrder: 2, name: 'A' }),
      aLinkedCategory({ id: '4', sortOrder: 1, name: 'Été' }),
      aLinkedCategory({ id: '3', sortOrder: 1, name: 'Ete' }),
      aLinkedCategory({ id: '2', sortOrder: 1, name: 'Ete' }),
      aLinkedCategory({ id: '1', sortOrder: 1, name: 'essay' }),
    ];

    expect(idsOf(projected({ id: 'blog', categories })?.categories)).to.eql(['1', '2', '3', '4', '5']);
  });

  it('sorts its tags by name and id', () => {
    const tags = [
      aLinkedTag({ id: '4', name: 'Zoo' }),
      aLinkedTag({ id: '3', name: 'Äpfel' }),
      aLinkedTag({ id: '2', name: 'apfel' }),
      aLinkedTag({ id: '1', name: 'apfel' }),
    ];

    expect(idsOf(projected({ id: 'blog', tags })?.tags)).to.eql(['1', '2', '3', '4']);
  });
});

describe('The projection of a category', () => {
  it('keeps a parent of the same organization', () => {
    const category = aSourceCategory({ id: 'child', parentId: 'parent', parentOrganizationId: 'org_a' });

    expect(projections.categories(category)).to.eql({
      id: 'child',
      organizationId: 'org_a',
      websiteId: 'web_a1',
      parentId: 'parent',
      name: 'Name of child',
      slug: 'slug-of-child',
      description: '',
      sortOrder: 0,
    });
  });

  it('replaces a parent in another organization by null', () => {
    const category = aSourceCategory({ id: 'child', parentId: 'parent', parentOrganizationId: 'org_b' });

    expect(projections.categories(category)).to.include({ parentId: null });
  });
});

describe('The projection of tags and keys', () => {
  it('copies a tag unchanged', () => {
    expect(projections.tags(aSourceTag({ id: 'tag' }))).to.eql(aSourceTag({ id: 'tag' }));
  });

  it('keeps every key, even expired and revoked ones, because a key is checked when it is used', () => {
    for (const key of [aKey({ id: 'a' }), aKey({ id: 'b', expiresAt: 1 }), aKey({ id: 'c', revokedAt: 1 })]) {
      expect(projections.apiKeys(key)).to.eql(key);
    }
  });
});
