import type { AnswerKey } from '../model/answer.js';

/**
 * The whole key as one text. The length tells where the organization's id ends, whatever it consists of. Joined, since a template
 * would keep the pieces that it was made of for as long as the answer is cached.
 */
export function answerName({ organizationId, generation, request }: AnswerKey): string {
  return [generation, ' ', organizationId.length, ' ', organizationId, request].join('');
}

/** Likewise, whatever the generation. */
export function requestName(organizationId: string, request: string): string {
  return [organizationId.length, ' ', organizationId, request].join('');
}
