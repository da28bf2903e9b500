import { listTags } from '../../domain/queries/list-tags.js'; // breach

export const read = listTags;
