import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { BLOG_TEXTS, recordOf } from '../../src/domain/model/blog-fields.js';

/** Part of every text of one organization that no other organization may read. */
export const CANARY = 'CANARY';

/** Names that both organizations use: a caller can request them without knowing the other organization. */
const SHARED = { websiteId: 'web-of-both', slug: 'slug-of-both', name: 'Name of both' };

/**
 * Content of one organization. With `secret`, every text that could reveal it contains the canary.
 * With `sharesWebsite`, one of its websites has the id of a website of the other organization.
 */
export function tenantContent(organizationId: string, secret: string, sharesWebsite: boolean) {
  const own = (what: string) => `${what}-${organizationId}${secret}`;
  const websites = [sharesWebsite ? SHARED.websiteId : own(SHARED.websiteId), own('web')];
  const terms = [
    { id: own('term-1'), name: `${SHARED.name}${secret}`, slug: SHARED.slug },
    { id: own('term-2'), name: own('Name'), slug: own('slug') },
  ];
  const placed = terms.flatMap((term) =>
    websites.map((websiteId) => ({ ...term, id: `${term.id}-${websiteId}`, organizationId, websiteId })),
  );
  const termsOf = (kind: string, websiteId: string) =>
    terms.map(({ id, name, slug }) => ({ id: `${kind}-${id}-${websiteId}`, name, slug }));
  return {
    websites,
    blogs: placed.map((place) =>
      aBlog({
        ...place,
        id: `blog-${place.id}`,
        title: `Title of both ${secret}`,
        ...recordOf(BLOG_TEXTS, own),
        contentHtml: `<p>${own('content')}</p>`.repeat(60),
        categories: termsOf('category', place.websiteId),
        tags: termsOf('tag', place.websiteId),
      }),
    ),
    categories: placed.map((place) =>
      aCategory({ ...place, id: `category-${place.id}`, description: own('text') }),
    ),
    tags: placed.map((place) => aTag({ ...place, id: `tag-${place.id}` })),
  };
}

/** Every request that this content suggests: all endpoints and filters, with all its ids, slugs and websites. */
export function requestsAbout({ websites, blogs, categories }: ReturnType<typeof tenantContent>): string[] {
  const slugs = [...new Set(categories.map(({ slug }) => slug))];
  const queries = ['', ...websites.map((websiteId) => `website_id=${websiteId}`)];
  for (const slug of slugs) {
    queries.push(`category=${slug}`, `tag=${slug}`, `category=${slug}&tag=${slug}&search=title+of+both`);
    for (const websiteId of websites) queries.push(`category=${slug}&tag=${slug}&website_id=${websiteId}`);
  }
  queries.push(
    `search=${CANARY}`,
    'search=title',
    'search=%25',
    'limit=100',
    'limit=1&page=2',
    'limit=1&page=5',
  );
  return [
    ...queries.map((query) => `/api/v1/blogs?${query}`),
    ...blogs.map(({ id }) => `/api/v1/blogs/${id}`),
    ...blogs.map(({ slug, websiteId }) => `/api/v1/blogs/slug/${slug}?website_id=${websiteId}`),
    ...['categories', 'tags'].flatMap((kind) => [
      `/api/v1/${kind}`,
      ...websites.map((websiteId) => `/api/v1/${kind}?website_id=${websiteId}`),
    ]),
  ];
}
