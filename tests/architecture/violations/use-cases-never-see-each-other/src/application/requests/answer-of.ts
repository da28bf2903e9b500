import { listTags } from '../../domain/queries/list-tags.js'; // breach
import { step } from '../sync/step.js'; // breach

export const answerOf = () => [listTags(), step()];
