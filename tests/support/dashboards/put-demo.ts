import { readFile } from 'node:fs/promises';
import { DEMO_CONTENT } from '../../../src/composition/project-folders.js';
import { aBlog, aCategory, aTag } from '../../../src/contracts/support/rows.js';
import { BLOG_COUNTS, recordOf } from '../../../src/domain/model/blog-fields.js';
import type { Term } from '../../../src/domain/model/term.js';
import type { ApiUnderTest } from '../http/api-under-test.js';

interface DemoBlog {
  readonly id: string;
  readonly status: string;
  readonly publishedAt: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
}

/** Puts the website of the demo whose key `npm start` prints first. Returns its organization. */
export async function putDemo(api: ApiUnderTest): Promise<string> {
  const demo = JSON.parse(await readFile(new URL('halfbright.json', DEMO_CONTENT), 'utf8'));
  const owner = { organizationId: demo.organization.id, websiteId: demo.website.id };
  const termsOf = (all: readonly Term[], slugs: readonly string[]) =>
    all.filter(({ slug }) => slugs.includes(slug)).map(({ id, name, slug }) => ({ id, name, slug }));

  const categories = demo.categories.map(({ parent, ...category }: Term & { parent: string }) => {
    const [above] = termsOf(demo.categories, [parent]);
    return aCategory({ ...category, ...owner, parentId: above?.id ?? null });
  });
  const tags = demo.tags.map((tag: Term) => aTag({ ...tag, ...owner }));
  const blogs = demo.blogs
    .filter(({ status }: DemoBlog) => status === 'published')
    .map(({ status, ...blog }: DemoBlog) =>
      aBlog({
        ...recordOf(BLOG_COUNTS, () => 0),
        ...blog,
        ...owner,
        publishedAt: Date.parse(blog.publishedAt),
        categories: termsOf(demo.categories, blog.categories),
        tags: termsOf(demo.tags, blog.tags),
      }),
    );
  await api.put('categories', ...categories);
  await api.put('tags', ...tags);
  await api.put('blogs', ...blogs);
  return owner.organizationId;
}
