import { type CollectionEntry, getCollection } from 'astro:content';

type BlogEntry = CollectionEntry<'blogs'>;

export async function newestFirst(): Promise<BlogEntry[]> {
  const blogs = await getCollection('blogs');
  return blogs.sort((one, other) => other.data.publishedAt.valueOf() - one.data.publishedAt.valueOf());
}

/** A path for each category or tag, with its blogs. */
export async function labelPaths(kind: 'categories' | 'tags') {
  const paths = new Map<string, { name: string; blogs: BlogEntry[] }>();
  for (const blog of await newestFirst()) {
    for (const { slug, name } of blog.data[kind]) {
      const path = paths.get(slug) ?? { name, blogs: [] };
      path.blogs.push(blog);
      paths.set(slug, path);
    }
  }
  return [...paths].map(([slug, props]) => ({ params: { slug }, props }));
}
