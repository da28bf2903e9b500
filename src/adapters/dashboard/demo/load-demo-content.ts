import { readdir, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { type BlogFields, columnsOf } from '../../../domain/model/blog-fields.js';

/** One website of the demo, as in its file. Terms are referenced by slug. */
interface DemoWebsite {
  readonly organization: { id: string; name: string };
  readonly website: { id: string; name: string; domain: string };
  readonly categories: readonly DemoCategory[];
  readonly tags: readonly { id: string; name: string; slug: string; color: string }[];
  readonly blogs: readonly DemoBlog[];
}

interface DemoCategory {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly sortOrder: number;
  readonly parent: string | null;
}

interface DemoBlog extends BlogFields {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly contentHtml: string;
  readonly status: string;
  readonly publishedAt: string | null;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
}

/** Fills a dashboard without organizations. Returns those of the demo that exist then. */
export async function loadDemoContent(
  database: Knex,
  directory: URL,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.json')).sort();
  const websites = await Promise.all(
    files.map(
      async (file): Promise<DemoWebsite> => JSON.parse(await readFile(new URL(file, directory), 'utf8')),
    ),
  );
  await database.transaction(async (transaction) => {
    if ((await transaction('organizations').first('id')) !== undefined) return;
    for (const website of websites) await insertWebsite(transaction, website);
  });
  const ids = websites.map(({ organization }) => organization.id);
  return await database('organizations').whereIn('id', ids).orderBy('id').select('id', 'name');
}

async function insertWebsite(transaction: Knex.Transaction, demo: DemoWebsite): Promise<void> {
  const { organization, website, categories, tags, blogs } = demo;
  const idOfCategory = new Map(categories.map(({ slug, id }) => [slug, id]));
  const idOfTag = new Map(tags.map(({ slug, id }) => [slug, id]));
  const ofWebsite = { website_id: website.id };

  await transaction('organizations').insert(organization).onConflict('id').ignore();
  await transaction('websites').insert({ ...website, organization_id: organization.id });
  await transaction('categories').insert(
    categories.map(({ parent, sortOrder, ...category }) => ({
      ...category,
      ...ofWebsite,
      parent_id: parent === null ? null : idOfCategory.get(parent),
      sort_order: sortOrder,
    })),
  );
  await transaction('tags').insert(tags.map((tag) => ({ ...tag, ...ofWebsite })));
  await transaction('blogs').insert(blogs.map((blog) => ({ ...toBlogRow(blog), ...ofWebsite })));
  const blogCategories = blogs.flatMap((blog) =>
    blog.categories.map((slug) => ({ blog_id: blog.id, category_id: idOfCategory.get(slug) })),
  );
  await transaction('blog_categories').insert(blogCategories);
  const blogTags = blogs.flatMap((blog) =>
    blog.tags.map((slug) => ({ blog_id: blog.id, tag_id: idOfTag.get(slug) })),
  );
  await transaction('blog_tags').insert(blogTags);
}

function toBlogRow(blog: DemoBlog) {
  return {
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    content_html: blog.contentHtml,
    ...columnsOf(blog),
    status: blog.status,
    published_at: blog.publishedAt,
  };
}
