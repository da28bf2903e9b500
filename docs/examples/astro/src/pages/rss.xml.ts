import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';
import { newestFirst } from '../blogs';

export const GET: APIRoute = async ({ site }) => {
  const blogs = (await newestFirst()).slice(0, 20);
  return rss({
    title: 'Halfbright Notes',
    description: 'Notes of a workshop',
    site: site ?? '',
    items: blogs.map(({ id, data }) => ({
      title: data.title,
      description: data.excerpt ?? undefined,
      link: `/blog/${data.slug}/`,
      pubDate: data.publishedAt,
      // Its link changes with its slug.
      customData: `<guid isPermaLink="false">${encodeURIComponent(id)}</guid>`,
    })),
  });
};
