import type { ApiKey } from '../model/api-key.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{16,256}$/;

export type KeyValidity = 'valid' | 'expired' | 'revoked';

/** Checked on every request: a key may have expired since the last one. */
export function keyValidity(key: ApiKey, now: number): KeyValidity {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return 'valid';
}

/** All other rules about keys belong to the dashboard. */
export function couldBeKey(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}
