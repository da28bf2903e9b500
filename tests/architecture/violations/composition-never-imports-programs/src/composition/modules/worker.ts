import type { SyncLoop } from '../../programs/sync/sync-loop.js'; // breach

export const worker = (loop: SyncLoop) => loop;
