import { readFile } from 'node:fs/promises';
import { DEMO_CONTENT } from '../../../src/composition/project-folders.js';
import { aBlog, aCategory, aTag } from '../../../src/contracts/support/rows.js';
import { BLOG_FIELD_NAMES, BLOG_FIELDS, columnOf, recordOf } from '../../../src/domain/model/blog-fields.js';
import type { Term } from '../../../src/domain/model/term.js';
import type { ApiUnderTest } from '../http/api-under-test.js';

/** What a column of the demo has that its content does not name. */
const EMPTY = { text: null, count: 0 };

type Row = Readonly<Record<string, string>> & { readonly id: string };

/** Puts the website of the demo whose key `npm start` prints first. Returns its organization. */
export async function putDemo(api: ApiUnderTest): Promise<string> {
  const demo: Readonly<Record<string, readonly Row[]>> = JSON.parse(
    await readFile(new URL('halfbright.json', DEMO_CONTENT), 'utf8'),
  );
  const rows = (table: string) => demo[table] ?? [];
  const organizationId = rows('organizations')[0]?.id as string;
  const common = ({ id, website_id: websiteId, name, slug }: Row) => ({
    ...{ id, websiteId: websiteId as string, organizationId },
    ...{ name: name as string, slug: slug as string },
  });
  const termsOf = (blog: Row, kind: 'categories' | 'tags', key: 'category_id' | 'tag_id') => {
    const links = rows(`blog_${kind}`).filter(({ blog_id }) => blog_id === blog.id);
    const terms = rows(kind).filter(({ id }) => links.some((link) => link[key] === id));
    return terms.map(({ id, name, slug }) => ({ id, name, slug }) as Term);
  };

  const categories = rows('categories').map((row) =>
    aCategory({
      ...common(row),
      parentId: row.parent_id ?? null,
      description: row.description as string,
      sortOrder: Number(row.sort_order),
    }),
  );
  const tags = rows('tags').map((row) => aTag({ ...common(row), color: row.color as string }));
  const blogs = rows('blogs')
    .filter(({ status }) => status === 'published')
    .map((row) => {
      const { name: _, ...ofBlog } = common(row);
      return aBlog({
        ...ofBlog,
        ...recordOf(
          BLOG_FIELD_NAMES,
          (field) => (row[columnOf(field)] ?? EMPTY[BLOG_FIELDS[field].type]) as never,
        ),
        title: row.title as string,
        contentHtml: row.content_html as string,
        publishedAt: Date.parse(row.published_at as string),
        categories: termsOf(row, 'categories', 'category_id'),
        tags: termsOf(row, 'tags', 'tag_id'),
      });
    });
  await api.put('categories', ...categories);
  await api.put('tags', ...tags);
  await api.put('blogs', ...blogs);
  return organizationId;
}
