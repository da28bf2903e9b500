import type { Tag } from '../../package/ports.js'; // breach

export const tags: Tag[] = [];
