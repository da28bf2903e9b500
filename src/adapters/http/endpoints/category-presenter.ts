import type { Category } from '../../../domain/model/category.js';

export function presentCategories(categories: readonly Category[]) {
  return { data: categories.map(presentCategory) };
}

function presentCategory({ id, name, slug, description, parentId, sortOrder, websiteId }: Category) {
  return { id, name, slug, description, parentId, sortOrder, websiteId };
}
