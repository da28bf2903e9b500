import type { Api } from '../api/api-program.js';
import { loop } from '../sync/sync-loop.js';

export const embedded = (api: Api) => [api, loop];
