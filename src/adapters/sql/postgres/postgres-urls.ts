import { readFileSync } from 'node:fs';
import { codeOf } from '../../../domain/policies/reason-of.js';

export const POSTGRES_EXAMPLE = 'postgres://user:password@host:5432/name';

const SSL_MODES = ['verify-full', 'no-verify', 'disable'];
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** Errors complete the sentence "<variable> …" and contain nothing of the URL. */
export function postgresUrl(text: string): string {
  if (!isPostgresUrl(text)) throw new Error(`must be a URL such as ${POSTGRES_EXAMPLE}`);
  requireSslThatWorks(new URL(text));
  return text;
}

export function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol);
}

/** The driver takes some other modes for verify-full, and ignores the rest. */
function requireSslThatWorks({ searchParams }: URL): void {
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new Error(
      'must have sslmode=verify-full instead of another mode (no-verify trusts any server, disable does not encrypt)',
    );
  }
  for (const name of SSL_FILES) {
    const file = searchParams.get(name);
    if (file !== null) requireReadable(file, name);
  }
}

function requireReadable(file: string, parameter: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    const reason = codeOf(error) || 'unreadable';
    throw new Error(
      `must have the path of a readable file for ${parameter}, not ${JSON.stringify(file)} (${reason})`,
    );
  }
}
