import { listTags } from '../queries/list-tags.js'; // breach

export const answerOf = () => listTags();
