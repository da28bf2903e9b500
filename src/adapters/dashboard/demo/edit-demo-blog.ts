import type { Knex } from 'knex';

/** Changes the title of the newest blog. Returns the blog and its previous title. */
export async function editDemoBlog(
  database: Knex,
  newTitle: string | null,
): Promise<{ readonly id: string; readonly before: string; readonly after: string }> {
  const blog: { id: string; title: string } | undefined = await database('blogs')
    .join('websites', 'websites.id', 'blogs.website_id')
    .where('websites.organization_id', database('organizations').min('id'))
    .where('blogs.status', 'published')
    .orderBy([
      { column: 'blogs.published_at', order: 'desc' },
      { column: 'blogs.id', order: 'desc' },
    ])
    .first('blogs.id', 'blogs.title');
  if (blog === undefined) throw new Error('The demo no longer has a published blog.');
  const after = newTitle ?? nextTitle(blog.title);
  await database('blogs').where({ id: blog.id }).update({ title: after, updated_at: database.fn.now() });
  return { id: blog.id, before: blog.title, after };
}

/** Each edit is visible: "Title", "Title (edit 1)", "Title (edit 2)" … */
function nextTitle(title: string): string {
  const [, plain = title, count] = /^(.*?) \(edit (\d+)\)$/.exec(title) ?? [];
  return `${plain} (edit ${Number(count ?? 0) + 1})`;
}
