import type { ApiKey } from '../model/api-key.js';

export type KeyValidity = 'valid' | 'expired' | 'revoked';

/** Checked on every request: a key may have expired since the last one. */
export function keyValidity(key: ApiKey, now: number): KeyValidity {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return 'valid';
}
