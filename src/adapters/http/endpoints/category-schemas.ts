import { Type } from 'typebox';

export const Category = Type.Object({
  id: Type.String({ description: 'Identifier' }),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Slug, to filter blogs by' }),
  description: Type.String({ description: 'Description, empty when there is none' }),
  parentId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'Id of the parent category; null at the top. A parent that is not in the list also means the top',
  }),
  sortOrder: Type.Integer({ description: 'Position in the list' }),
  websiteId: Type.String({ description: 'Website that owns the category' }),
});

export const CategoryList = Type.Object({ data: Type.Array(Category) });
