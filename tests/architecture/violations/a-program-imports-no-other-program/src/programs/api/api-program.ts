import type { loop } from '../sync/sync-loop.js'; // breach

export type Api = typeof loop;
