import { WEBSITE_ID } from 'astro:env/server';
import type { Loader, LoaderContext } from 'astro/loaders';
import type { components } from './content-api';
import { api, failure } from './content-client';

export type Blog = components['schemas']['Blog'] & {
  /** Slugs that previous builds have seen. Their pages redirect to the present one. */
  formerSlugs: string[];
};

/**
 * Keeps the blogs in the content store of Astro (`node_modules/.astro`), which has to be kept between builds.
 * A build downloads only what changed: the `ETag` of each blog is its digest.
 */
export function blogLoader(): Loader {
  return {
    name: 'blogs',
    async load({ store, meta, logger, parseData }: LoaderContext) {
      const generation = await currentGeneration();
      if (meta.get('generation') === generation) return logger.info('Nothing has changed');

      const ids = new Set([...(await publishedIds()), ...store.keys()]);
      let downloads = 0;
      for (const id of ids) {
        const known = store.get<Blog>(id);
        const { data, response } = await api.GET('/api/v1/blogs/{id}', {
          params: { path: { id }, header: { 'If-None-Match': known?.digest?.toString() } },
        });
        if (response.status === 304) continue;
        const blog = data?.data;
        if (response.status === 404 || (blog && blog.websiteId !== WEBSITE_ID)) {
          store.delete(id);
          continue;
        }
        if (!blog) throw failure(response);
        const formerSlugs = new Set(known && [...known.data.formerSlugs, known.data.slug]);
        formerSlugs.delete(blog.slug);
        store.set({
          id,
          data: await parseData({ id, data: { ...blog, formerSlugs: [...formerSlugs] } }),
          rendered: { html: blog.contentHtml },
          digest: response.headers.get('ETag') ?? undefined,
        });
        downloads += 1;
      }
      meta.set('generation', generation);
      logger.info(`Downloaded ${downloads} of ${store.keys().length} blogs`);
    },
  };
}

/** It rises with every change of the content. */
async function currentGeneration(): Promise<string> {
  const { response } = await api.GET('/api/v1/tags', { params: { query: { website_id: WEBSITE_ID } } });
  if (!response.ok) throw failure(response);
  return response.headers.get('X-Content-Generation') ?? '';
}

async function publishedIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = { website_id: WEBSITE_ID, limit: 100, page };
    const { data, response } = await api.GET('/api/v1/blogs', { params: { query } });
    if (!data) throw failure(response);
    ids.push(...data.data.map(({ id }) => id));
    pages = data.pagination.pages;
  }
  return ids;
}
