import type { AnswerKey } from '../model/answer.js';

/**
 * The length marks the end of the id, whatever it contains. `join`, because a template string would
 * keep its parts in memory.
 */
export function answerName({ organizationId, generation, request }: AnswerKey): string {
  return [generation, ' ', organizationId.length, ' ', organizationId, request].join('');
}

/** The same without the generation. */
export function requestName(organizationId: string, request: string): string {
  return [organizationId.length, ' ', organizationId, request].join('');
}
