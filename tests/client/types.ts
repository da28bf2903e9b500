import type { BlogApiError, BlogClient, BlogPage } from 'blog-content-read-api/client';

/** This function never runs: `npm run check` compiles it. An expected error that does not occur is an error too. */
export async function uses(client: BlogClient): Promise<void> {
  const { data, pagination }: BlogPage = await client.listBlogs({
    category: 'metalwork',
    tag: null,
    search: undefined,
  });
  pagination.total.toFixed();
  // @ts-expect-error: a page is a number
  await client.listBlogs({ page: '2' });
  // @ts-expect-error: the API has no such parameter
  await client.listBlogs({ author: 'me' });
  // @ts-expect-error: an answer of the API cannot be changed
  pagination.total = 0;
  // @ts-expect-error: the list may be empty
  data[0].title;
  // @ts-expect-error: allBlogs reads all pages
  client.allBlogs({ page: 2 });
  for await (const { publishedAt } of client.allBlogs({ website_id: 'site' })) publishedAt.slice(0, 10);

  const blog = await client.getBlogById('id');
  // @ts-expect-error: the blog may not exist
  blog.contentHtml;
  // @ts-expect-error: it may have no excerpt
  blog?.excerpt.length;
  // @ts-expect-error: a slug belongs to a website
  await client.getBlogBySlug('slug');
  await client.getBlogBySlug('slug', { website_id: 'site' }, { signal: AbortSignal.timeout(1_000) });

  for (const { parentId, sortOrder } of await client.listCategories()) parentId?.slice(sortOrder);
  for (const { color } of await client.listTags({ website_id: 'site' })) color.slice(1);
}

export function means({ kind, retryAfter, resetAt }: BlogApiError): string {
  switch (kind) {
    case 'bad-request':
    case 'unauthorized':
    case 'server-error':
    case 'network':
    case 'timeout':
    case 'unexpected-answer':
      return kind;
    case 'rate-limited':
      // @ts-expect-error: a proxy may send no Retry-After
      retryAfter.toFixed();
      return resetAt?.toISOString() ?? kind;
    // @ts-expect-error: there is no error of this kind
    case 'not-found':
      return kind;
  }
}
