import type { ApiKey } from '../../domain/model/api-key.js';
import { freshId } from '../support/fresh-id.js';

export type LoggedKey = Pick<ApiKey, 'id' | 'organizationId'>;

export function newKey(): LoggedKey {
  return { id: freshId('key'), organizationId: freshId('org') };
}
