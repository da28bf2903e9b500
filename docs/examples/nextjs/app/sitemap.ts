import type { MetadataRoute } from 'next';
import { allBlogs } from '../lib/content';
import { setting } from '../lib/settings';

export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const origin = setting('SITE_ORIGIN');
  return [{ url: origin }, ...(await allBlogs()).map(({ slug }) => ({ url: `${origin}/blog/${slug}` }))];
}
