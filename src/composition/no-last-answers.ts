import type { LastAnswers } from '../domain/ports/last-answers.js';

/** Of a response cache that keeps none. */
export const NO_LAST_ANSWERS: LastAnswers = { find: () => null, forget: async () => {} };
