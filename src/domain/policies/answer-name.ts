import type { AnswerKey } from '../model/answer.js';

/** The whole key as one text. The length tells where the organization's id ends, whatever it consists of. */
export function answerName({ organizationId, generation, request }: AnswerKey): string {
  return `${generation} ${organizationId.length} ${organizationId}${request}`;
}
