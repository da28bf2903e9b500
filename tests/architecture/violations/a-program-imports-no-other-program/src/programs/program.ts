import type { loop } from './sync/sync-loop.js';

export type Program = typeof loop;
