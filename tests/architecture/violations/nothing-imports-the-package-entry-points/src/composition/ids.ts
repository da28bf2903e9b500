import type { Tag } from '../package/ports.js'; // breach

export const idsOf = (tags: Tag[]) => tags.map((tag) => tag.id);
