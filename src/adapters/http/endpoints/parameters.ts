import { Type } from 'typebox';

/**
 * The input of each endpoint. Validation, types and the API description are derived from it. `trim` is our own annotation: the value is
 * trimmed before validation.
 */
const WITHOUT_NUL = '^[^\\u0000]*$';

const Name = (description: string, example: string) =>
  Type.String({ minLength: 1, pattern: WITHOUT_NUL, description, examples: [example] });

const websiteId = Name('Restrict to one website', 'site_halfbright');

export const ListBlogsQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, default: 1, description: 'Page, 1-indexed' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Results per page' }),
  category: Type.Optional(Name('Category slug, matched exactly', 'metalwork')),
  tag: Type.Optional(Name('Tag slug, matched exactly', 'failure')),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: WITHOUT_NUL,
      trim: true,
      description: 'Part of the title, case-insensitive; blank: no search',
      examples: ['broken tap'],
    }),
  ),
  website_id: Type.Optional(websiteId),
});

export const WebsiteQuery = Type.Object({ website_id: Type.Optional(websiteId) });

export const BlogBySlugQuery = Type.Object({
  website_id: Name('Website that the slug belongs to: slugs are unique only within one', 'site_halfbright'),
});

export const NoQuery = Type.Object({});

export const BlogId = Type.String({ minLength: 1, description: 'Id of the blog', examples: ['blog_hb_045'] });

export const BlogSlug = Type.String({
  minLength: 1,
  description: 'Slug of the blog',
  examples: ['the-tap-and-the-broken-tap'],
});
