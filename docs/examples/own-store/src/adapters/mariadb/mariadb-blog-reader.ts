import type { Blog, BlogCriteria, BlogCut, BlogDetail, BlogReader, Term } from 'blog-content-read-api/ports';
import type { Session, Values } from './database.js';
import { termsOf } from './read-tables.js';
import { isHiddenTerm, isShown } from './shown-rows.js';

const COLUMNS = `
  id, website_id as websiteId, title, slug, excerpt, meta_title as metaTitle, meta_description as metaDescription,
  featured_image_url as featuredImageUrl, featured_image_alt as featuredImageAlt, word_count as wordCount,
  reading_time_minutes as readingTimeMinutes, published_at as publishedAt, categories, tags,
  ${hiddenIds('categories')} as hiddenCategories, ${hiddenIds('tags')} as hiddenTags`;

type Stored<Shown> = Omit<Shown, 'categories' | 'tags'> & {
  readonly categories: string;
  readonly tags: string;
  /** JSON, or null if none is hidden. */
  readonly hiddenCategories: string | null;
  readonly hiddenTags: string | null;
};

type Listed = { readonly total: number } & (Stored<Blog> | { readonly id: null });

export class MariadbBlogReader implements BlogReader {
  constructor(private readonly database: Session) {}

  /** One statement, and so one snapshot. The total is not a column of the page's rows, because a page past the end has no rows. */
  async list(organizationId: string, criteria: BlogCriteria, { offset, limit }: BlogCut) {
    const matching = `from blog_entries where ${isShown(criteria.websiteId)} ${conditionsOf(criteria)}`;
    const rows = await this.database.query<Listed>(
      `select counted.total, page.* from (select count(*) as total ${matching}) as counted left join (
         select ${COLUMNS} from (
           select id ${matching} order by published_at desc, id desc limit :limit offset :offset
         ) as cut join blogs using (id)
       ) as page on true
       order by page.publishedAt desc, page.id desc`,
      { organizationId, ...criteria, offset, limit },
    );
    const blogs = rows.flatMap(({ total, ...row }) => (row.id === null ? [] : toBlog<Blog>(row)));
    return { total: Number(rows[0]?.total), blogs };
  }

  findById(organizationId: string, id: string): Promise<BlogDetail | null> {
    return this.#findOne(`${isShown(null)} and id = :id`, { organizationId, id });
  }

  findBySlug(organizationId: string, websiteId: string, slug: string): Promise<BlogDetail | null> {
    return this.#findOne(`${isShown(websiteId)} and slug = :slug`, { organizationId, websiteId, slug });
  }

  async #findOne(condition: string, values: Values): Promise<BlogDetail | null> {
    const [row] = await this.database.query<Stored<BlogDetail>>(
      `select ${COLUMNS}, content_html as contentHtml from blogs where ${condition} order by id limit 1`,
      values,
    );
    return row === undefined ? null : toBlog<BlogDetail>(row);
  }
}

function conditionsOf({ categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): string {
  const hasTerm = (kind: string, slug: string) =>
    `and id in (select blog_id from blog_terms where organization_id = :organizationId and kind = '${kind}' and slug = ${slug})`;
  const conditions: string[] = [];
  if (categorySlug !== null) conditions.push(hasTerm('categories', ':categorySlug'));
  if (tagSlug !== null) conditions.push(hasTerm('tags', ':tagSlug'));
  if (foldedTitlePart !== null) conditions.push(`and ${hasTitlePart(foldedTitlePart)}`);
  return conditions.join(' ');
}

/** For `like`, MariaDB uses Boyer-Moore, so no title makes a search quadratic. It does not if the text has to be escaped. */
function hasTitlePart(foldedTitlePart: string): string {
  return /[%_\\]/.test(foldedTitlePart)
    ? 'locate(:foldedTitlePart, folded_title) > 0'
    : "folded_title like concat('%', :foldedTitlePart, '%')";
}

/** A column with the ids of the hidden categories or tags of a blog. */
function hiddenIds(kind: 'categories' | 'tags'): string {
  return `(
    select json_arrayagg(convert(terms.id using utf8mb4)) from blog_terms join ${kind} as terms on terms.id = blog_terms.id
    where blog_terms.blog_id = blogs.id and blog_terms.kind = '${kind}' and ${isHiddenTerm('terms')})`;
}

function toBlog<Shown extends Blog>({ hiddenCategories, hiddenTags, ...row }: Stored<Shown>): Shown {
  const categories = withoutHidden(row.categories, hiddenCategories);
  const tags = withoutHidden(row.tags, hiddenTags);
  return { ...row, categories, tags } as unknown as Shown;
}

function withoutHidden(stored: string, hidden: string | null): readonly Term[] {
  const terms = termsOf(stored);
  if (hidden === null) return terms;
  const ids = new Set<string>(JSON.parse(hidden));
  return terms.filter(({ id }) => !ids.has(id));
}
