import type { Tag } from '../../../domain/model/tag.js';

export function presentTags(tags: readonly Tag[]) {
  return { data: tags.map(presentTag) };
}

function presentTag({ id, name, slug, color, websiteId }: Tag) {
  return { id, name, slug, color, websiteId };
}
