import { expect } from 'chai';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { projections } from '../../../src/domain/sync/projection.js';
import { aLinkedCategory, aLinkedTag, aSourceTag } from '../../support/dashboards/source-terms.js';

describe('the projection of a blog', () => {
  const projected = (given: Parameters<typeof aSourceBlog>[0]) => projections.blogs(aSourceBlog(given));
  const idsOf = (terms: readonly { id: string }[] | undefined) => terms?.map(({ id }) => id);

  it('shows every field of a published blog as it is, and the title folded beside it', () => {
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

  it('leaves null what is absent', () => {
    expect(projected({ id: 'blog' })).to.include({
      excerpt: null,
      metaTitle: null,
      metaDescription: null,
      featuredImageUrl: null,
      featuredImageAlt: null,
    });
  });

  for (const status of ['draft', 'scheduled', 'archived', 'Published', '']) {
    it(`shows nothing of a blog whose status is "${status}"`, () => {
      expect(projected({ id: 'blog', status })).to.equal(null);
    });
  }

  it('shows a published blog whatever its date', () => {
    for (const publishedAt of [Date.UTC(1, 0, 1), 0, Date.UTC(9999, 11, 31)]) {
      expect(projected({ id: 'blog', publishedAt })).to.include({ publishedAt });
    }
  });

  it('carries on a date that no calendar can show, and takes none for such a one: it is refused as a row', () => {
    for (const publishedAt of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
      expect(projected({ id: 'blog', publishedAt })).to.deep.include({ publishedAt });
    }
    expect(projected({ id: 'blog', publishedAt: null })).to.deep.include({ publishedAt: Number.NaN });
  });

  it('carries id, name and slug of its terms, and no more', () => {
    const blog = projected({
      id: 'blog',
      categories: [aLinkedCategory({ id: 'category', name: 'Category', slug: 'c', sortOrder: 7 })],
      tags: [aLinkedTag({ id: 'tag', name: 'Tag', slug: 't' })],
    });

    expect(blog?.categories).to.eql([{ id: 'category', name: 'Category', slug: 'c' }]);
    expect(blog?.tags).to.eql([{ id: 'tag', name: 'Tag', slug: 't' }]);
  });

  it('does not show terms of another organization, and shows those of its own in another website', () => {
    const blog = projected({
      id: 'blog',
      organizationId: 'org_a',
      categories: [aLinkedCategory({ id: 'own' }), aLinkedCategory({ id: 'other', organizationId: 'org_b' })],
      tags: [aLinkedTag({ id: 'other', organizationId: 'org_b' }), aLinkedTag({ id: 'own' })],
    });

    expect(idsOf(blog?.categories)).to.eql(['own']);
    expect(idsOf(blog?.tags)).to.eql(['own']);
  });

  it('puts its categories in the order of categories: sort order, name, id', () => {
    const categories = [
      aLinkedCategory({ id: '5', sortOrder: 2, name: 'A' }),
      aLinkedCategory({ id: '4', sortOrder: 1, name: 'Été' }),
      aLinkedCategory({ id: '3', sortOrder: 1, name: 'Ete' }),
      aLinkedCategory({ id: '2', sortOrder: 1, name: 'Ete' }),
      aLinkedCategory({ id: '1', sortOrder: 1, name: 'essay' }),
    ];

    expect(idsOf(projected({ id: 'blog', categories })?.categories)).to.eql(['1', '2', '3', '4', '5']);
  });

  it('puts its tags in the order of tags: name, id', () => {
    const tags = [
      aLinkedTag({ id: '4', name: 'Zoo' }),
      aLinkedTag({ id: '3', name: 'Äpfel' }),
      aLinkedTag({ id: '2', name: 'apfel' }),
      aLinkedTag({ id: '1', name: 'apfel' }),
    ];

    expect(idsOf(projected({ id: 'blog', tags })?.tags)).to.eql(['1', '2', '3', '4']);
  });

  it('gives the same row in whatever order the source gives the terms', () => {
    const categories = ['a', 'b', 'c'].map((id) => aLinkedCategory({ id }));
    const tags = ['a', 'b', 'c'].map((id) => aLinkedTag({ id }));

    expect(projected({ id: 'blog', categories, tags })).to.eql(
      projected({ id: 'blog', categories: categories.toReversed(), tags: tags.toReversed() }),
    );
  });

  it('leaves what it is given untouched', () => {
    const source = Object.freeze(
      aSourceBlog({
        id: 'blog',
        categories: Object.freeze([aLinkedCategory({ id: 'b' }), aLinkedCategory({ id: 'a' })]),
      }),
    );

    expect(() => projections.blogs(source)).not.to.throw();
  });
});

describe('the projection of a category', () => {
  it('keeps a parent of its own organization', () => {
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

  it('reads null for a parent in another organization', () => {
    const category = aSourceCategory({ id: 'child', parentId: 'parent', parentOrganizationId: 'org_b' });

    expect(projections.categories(category)).to.include({ parentId: null });
  });

  it('reads null where there is no parent', () => {
    expect(projections.categories(aSourceCategory({ id: 'top' }))).to.include({ parentId: null });
  });
});

describe('the projection of tags and keys', () => {
  it('shows a tag as it is', () => {
    expect(projections.tags(aSourceTag({ id: 'tag' }))).to.eql(aSourceTag({ id: 'tag' }));
  });

  it('keeps every key, also expired and revoked ones, since validity is judged when a key is used', () => {
    for (const key of [aKey({ id: 'a' }), aKey({ id: 'b', expiresAt: 1 }), aKey({ id: 'c', revokedAt: 1 })]) {
      expect(projections.apiKeys(key)).to.eql(key);
    }
  });
});
