import { hash } from 'node:crypto';
import type { AnswerKey } from '../../../domain/model/answer.js';

export const NAMES_BEGIN_WITH = 'blog-read:';

/** The prefix of an installation; its number changes with the format of the values. */
export function namePrefix(installation: string): string {
  return `${NAMES_BEGIN_WITH}5:${installation}:`;
}

/** The braces keep an organization on one node; the sign is there because they may not be empty. */
function ofOrganization(organizationId: string): string {
  return `{=${encodeURIComponent(organizationId)}}`;
}

export function requestLogName(organizationId: string, keyId: string): string {
  return `${ofOrganization(organizationId)}:requests:${keyId}`;
}

export function answerName({ organizationId, generation, request }: AnswerKey): string {
  return `${ofOrganization(organizationId)}:answer:${generation}:${hash('sha256', request, 'base64url')}`;
}

/** For commands that concern no organization. */
export const NO_ORGANIZATION = '{none}';

/** A name on the same node of a cluster as `name`, for what a probe writes. */
export function probeName(name: string, written: 'requests' | 'answer'): string {
  return `${name.slice(0, name.indexOf('}') + 1)}:probe-${written}`;
}
