import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { BLOG_TEXTS, recordOf } from '../../src/domain/model/blog-fields.js';

/** Stands in every text of one organization that no other may ever read. */
export const CANARY = 'CANARY';

/** What the content of both organizations has in common: a caller can name all of it without knowing the other's. */
const SHARED = { websiteId: 'web-of-both', slug: 'slug-of-both', name: 'Name of both' };

/**
 * Content of one organization. With `secret`, every text that could give it away holds the canary. With `sharesWebsite`, one of its websites
 * has the id of one of the other.
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

/** Every request that one can make with what is known of some content: all endpoints, all filters, ids, slugs and websites. */
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
