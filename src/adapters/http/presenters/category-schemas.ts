import { Type } from 'typebox';

export const Category = Type.Object({
  id: Type.String({ description: 'Identifier' }),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Slug, to filter blogs by' }),
  description: Type.String({ description: 'Description, empty when there is none' }),
  parentId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Parent category; null at the top, and one that is not in the list makes a root as well',
  }),
  sortOrder: Type.Integer({ description: 'What the list is ordered by' }),
  websiteId: Type.String({ description: 'Website that owns the category' }),
});

export const CategoryList = Type.Object({ data: Type.Array(Category) });
