import { type Static, Type } from 'typebox';

/**
 * What each endpoint takes. Validation, types and the API description all come from here. `trim` is our own annotation:
 * the value is trimmed before it is judged.
 */
const WITHOUT_NUL = '^[^\\u0000]*$';

const Name = (description: string) => Type.String({ minLength: 1, pattern: WITHOUT_NUL, description });

const websiteId = Name('Restrict to one website');

export const ListBlogsQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, default: 1, description: 'Page, 1-indexed' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Results per page' }),
  category: Type.Optional(Name('Category slug, matched exactly')),
  tag: Type.Optional(Name('Tag slug, matched exactly')),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: WITHOUT_NUL,
      trim: true,
      description: 'Part of the title, in whatever case; blank: no search',
    }),
  ),
  website_id: Type.Optional(websiteId),
});
export type ListBlogsQuery = Static<typeof ListBlogsQuery>;

export const WebsiteQuery = Type.Object({ website_id: Type.Optional(websiteId) });
export type WebsiteQuery = Static<typeof WebsiteQuery>;

export const BlogBySlugQuery = Type.Object({
  website_id: Name('Website that the slug belongs to: slugs are unique only within one'),
});
export type BlogBySlugQuery = Static<typeof BlogBySlugQuery>;

export const NoQuery = Type.Object({});
export type NoQuery = Static<typeof NoQuery>;
