import type { ApiKey } from '../model/api-key.js';

export type KeyValidity = 'valid' | 'expired' | 'revoked';

/** Judged anew on every request: a key that was good a moment ago may have expired since. */
export function keyValidity(key: ApiKey, now: number): KeyValidity {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return 'valid';
}
