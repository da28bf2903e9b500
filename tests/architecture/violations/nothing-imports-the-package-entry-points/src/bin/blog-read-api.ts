import { idsOf } from '../composition/ids.js';
import type { Tag } from '../package/ports.js'; // breach

export const main = (tags: Tag[]) => idsOf(tags);
