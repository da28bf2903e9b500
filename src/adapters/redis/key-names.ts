import { hash } from 'node:crypto';
import type { AnswerKey } from '../../domain/model/answer.js';

export const NAMES_BEGIN_WITH = 'blog-read:';

/**
 * Stands before every name that one installation has in Redis. Whoever is connected puts it there; the names below are what follows. The
 * number changes when what lies under the names does.
 */
export function namePrefix(installation: string): string {
  return `${NAMES_BEGIN_WITH}4:${installation}:`;
}

/** The part in braces puts everything of one organization on the same node of a cluster. Empty braces would not: hence the sign. */
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

/** Whatever the generation. */
export function lastAnswerName(organizationId: string, request: string): string {
  return `${ofOrganization(organizationId)}:last:${hash('sha256', request, 'base64url')}`;
}

/** For commands that are about no organization. */
export const NO_ORGANIZATION = '{none}';

/** On the same node of a cluster as `name`. */
export function probeName(name: string): string {
  return `${name.slice(0, name.indexOf('}') + 1)}:probe`;
}
