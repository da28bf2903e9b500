import type { Blog } from '../model/blog.js';

export function titlesOf(blogs: readonly Blog[]): readonly string[] {
  const found = blogs.filter((blog) => blog.present); // breach
  const titles: string[] = [];
  for (const each of found) titles.push(each.title); // breach
  return titles.map((title, place) => `${place} ${title}`); // breach
}
