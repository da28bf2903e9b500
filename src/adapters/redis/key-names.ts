import { hash } from 'node:crypto';
import type { AnswerKey } from '../../domain/model/answer.js';

/** All that this service has in Redis. The number changes when what lies under the names does. */
const PREFIX = 'blog-read:3:';

/** The part in braces puts everything of one organization on the same node of a cluster. Empty braces would not: hence the sign. */
function ofOrganization(organizationId: string): string {
  return `${PREFIX}{=${encodeURIComponent(organizationId)}}`;
}

export function requestLogName(organizationId: string, keyId: string): string {
  return `${ofOrganization(organizationId)}:requests:${keyId}`;
}

export function generationName(organizationId: string): string {
  return `${ofOrganization(organizationId)}:generation`;
}

export function answerNames({ organizationId, generation, request }: AnswerKey): {
  answer: string;
  lock: string;
} {
  const digest = hash('sha256', request, 'base64url');
  const name = `${ofOrganization(organizationId)}:answer:${generation}:${digest}`;
  return { answer: name, lock: `${name}:lock` };
}

export function probeName(number: number): string {
  return `${PREFIX}{probe ${number}}`;
}
