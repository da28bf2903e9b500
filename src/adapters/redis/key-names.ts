import { hash } from 'node:crypto';
import type { AnswerKey } from '../../domain/model/answer.js';

export const NAMES_BEGIN_WITH = 'blog-read:';

/**
 * The prefix of all names of one installation in Redis. The connection adds it; the names below follow it. The number changes whenever the
 * format of the values changes.
 */
export function namePrefix(installation: string): string {
  return `${NAMES_BEGIN_WITH}4:${installation}:`;
}

/**
 * The part in braces puts all names of one organization on the same node of a cluster. Empty braces would not do that, so a sign precedes
 * the id.
 */
function ofOrganization(organizationId: string): string {
  return `{=${encodeURIComponent(organizationId)}}`;
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

/** Independent of the generation. */
export function lastAnswerName(organizationId: string, request: string): string {
  return `${ofOrganization(organizationId)}:last:${hash('sha256', request, 'base64url')}`;
}

/** For commands that concern no organization. */
export const NO_ORGANIZATION = '{none}';

/** A name on the same node of a cluster as `name`. */
export function probeName(name: string): string {
  return `${name.slice(0, name.indexOf('}') + 1)}:probe`;
}
