import type { AnswerKey } from '../model/answer.js';

/** The length marks the end of the id, whatever it contains. */
export function answerName({ organizationId, generation, request }: AnswerKey): string {
  return `${generation} ${requestName(organizationId, request)}`;
}

/** The same without the generation. */
export function requestName(organizationId: string, request: string): string {
  return `${organizationId.length} ${organizationId}${request}`;
}
