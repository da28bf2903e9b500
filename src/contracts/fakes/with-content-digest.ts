import { createHash } from 'node:crypto';

/** A blog as `readDigested` returns it. */
export function withContentDigest<Blog extends { readonly contentHtml: string }>(blog: Blog): Blog {
  return { ...blog, contentHtml: createHash('md5').update(blog.contentHtml).digest('hex') };
}
