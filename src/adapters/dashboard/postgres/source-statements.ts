import { BLOG_FIELD_NAMES, BLOG_TEXTS, columnOf } from '../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { BYTES_OF_A_TERM } from '../../../domain/policies/row-limits.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';
import type { MappedShapes } from './mapped-shapes.js';

/** The source of the rows of each kind. */
export const SOURCE_OF: Readonly<Record<RowKind, SourceName>> = {
  apiKeys: 'api_keys',
  categories: 'categories',
  tags: 'tags',
  blogs: 'blogs',
};

/** A statement for the ids `$1`, and the type of the ids. */
export interface StatementForIds {
  /** The name under which it is prepared. */
  readonly name: string;
  readonly sql: string;
  readonly idType: string;
}

/** The statements that read the rows of some keys, with what they need from other tables. */
export interface SourceStatements {
  /**
   * The bytes of all texts of each row that is to be shown, by field. PostgreSQL knows the sizes without reading long values. The sizes of
   * a draft are not read.
   */
  readonly sizes: StatementForIds;
  readonly rows: StatementForIds;
}

/** Reads blogs with digests in place of their contents, whatever the encoding of the dashboard's database. */
export function digestedBlogs(shapes: MappedShapes): StatementForIds {
  const { name, sql, idType } = sourceStatements('blogs', shapes).rows;
  const digest = `md5(convert_to(${CONTENT}, 'UTF8'))`;
  return { name: `${name}_digested`, sql: sql.replace(`${CONTENT} as`, `${digest} as`), idType };
}

export function sourceStatements(kind: RowKind, shapes: MappedShapes): SourceStatements {
  const idType = shapes.idType[SOURCE_OF[kind]];
  const { sizes, rows } = SELECTED[kind](shapes.from);
  const from = FROM[kind](shapes.from, `any($1::${idType}[])`);
  return {
    sizes: { name: `${kind}_sizes`, sql: `select ${sizes} from ${from}`, idType },
    rows: { name: `${kind}_rows`, sql: `select ${rows} from ${from}`, idType },
  };
}

const CONTENT = 'blog.content_html';

type From = MappedShapes['from'];

const FROM: Readonly<Record<RowKind, (from: From, ids: string) => string>> = {
  apiKeys: ({ api_keys }, ids) => `${api_keys} as key where key.id = ${ids}`,
  categories: ({ categories, websites }, ids) => `
    ${categories} as category
      join ${websites} as website on website.id = category.website_id
      left join ${categories} as parent on parent.id = category.parent_id
      left join ${websites} as parent_website on parent_website.id = parent.website_id
    where category.id = ${ids}`,
  tags: ({ tags, websites }, ids) => `
    ${tags} as tag join ${websites} as website on website.id = tag.website_id where tag.id = ${ids}`,
  blogs: ({ blogs, websites }, ids) => `
    ${blogs} as blog join ${websites} as website on website.id = blog.website_id
    where blog.id = ${ids} and blog.status = '${SHOWN_STATUS}'`,
};

const OF_WEBSITE = (name: string) => `octet_length(${name}.id::text) as id,
  octet_length(website.organization_id::text) as "organizationId", octet_length(website.id::text) as "websiteId"`;
const IDS_OF = (name: string) =>
  `${name}.id::text as id, website.organization_id::text as "organizationId", website.id::text as "websiteId"`;

/** A lower bound in bytes: the ids and the cost of each. `BlogTerms` adds what else the terms of a blog hold. */
function bytesOfLinks(links: string, column: string): string {
  return `(select sum(octet_length(link.${column}::text) + ${BYTES_OF_A_TERM})::float8 from ${links} as link where link.blog_id = blog.id)`;
}

const SELECTED: Readonly<Record<RowKind, (from: From) => { readonly sizes: string; readonly rows: string }>> =
  {
    apiKeys: () => ({
      sizes: `key.id::text as key, octet_length(key.id::text) as id, octet_length(key.organization_id::text) as "organizationId",
      octet_length(key.key_hash) as hash`,
      rows: `key.id::text as id, key.organization_id::text as "organizationId", key.key_hash as hash,
      key.expires_at as "expiresAt", key.revoked_at as "revokedAt"`,
    }),
    categories: () => ({
      sizes: `category.id::text as key, ${OF_WEBSITE('category')}, octet_length(category.parent_id::text) as "parentId",
      octet_length(category.name) as name, octet_length(category.slug) as slug,
      octet_length(category.description) as description`,
      rows: `${IDS_OF('category')}, parent.id::text as "parentId",
      parent_website.organization_id::text as "parentOrganizationId", category.name, category.slug, category.description,
      category.sort_order as "sortOrder"`,
    }),
    tags: () => ({
      sizes: `tag.id::text as key, ${OF_WEBSITE('tag')}, octet_length(tag.name) as name, octet_length(tag.slug) as slug,
      octet_length(tag.color) as color`,
      rows: `${IDS_OF('tag')}, tag.name, tag.slug, tag.color`,
    }),
    blogs: ({ blog_categories, blog_tags }) => ({
      sizes: `blog.id::text as key, ${OF_WEBSITE('blog')}, octet_length(blog.title) as title, octet_length(blog.slug) as slug,
      ${BLOG_TEXTS.map((field) => `octet_length(blog.${columnOf(field)}) as "${field}"`)}, octet_length(blog.content_html) as "contentHtml",
      ${bytesOfLinks(blog_categories, 'category_id')} as categories, ${bytesOfLinks(blog_tags, 'tag_id')} as tags`,
      rows: `${IDS_OF('blog')}, blog.title, blog.slug, ${CONTENT} as "contentHtml",
      ${BLOG_FIELD_NAMES.map((field) => `blog.${columnOf(field)} as "${field}"`)}, blog.status, blog.published_at as "publishedAt"`,
    }),
  };
