import type { AnswerKey } from '../model/answer.js';

/**
 * The whole key as one text. The length marks the end of the organization's id, whatever characters it has. The parts are joined with
 * `join`: a template string would keep them in memory as long as the answer is cached.
 */
export function answerName({ organizationId, generation, request }: AnswerKey): string {
  return [generation, ' ', organizationId.length, ' ', organizationId, request].join('');
}

/** The same without the generation. */
export function requestName(organizationId: string, request: string): string {
  return [organizationId.length, ' ', organizationId, request].join('');
}
