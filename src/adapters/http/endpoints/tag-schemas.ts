import { Type } from 'typebox';

export const Tag = Type.Object({
  id: Type.String({ description: 'Identifier' }),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Slug, to filter blogs by' }),
  color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Hexadecimal color code' }),
  websiteId: Type.String({ description: 'Website that owns the tag' }),
});

export const TagList = Type.Object({ data: Type.Array(Tag) });
