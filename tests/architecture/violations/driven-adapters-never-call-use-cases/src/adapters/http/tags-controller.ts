import { listTags } from '../../domain/queries/list-tags.js';

export const answer = () => listTags();
