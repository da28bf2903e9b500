import type { Hash } from 'node:crypto'; // breach
import { basename } from 'path'; // breach

export const nameOf = (hash: Hash) => basename(hash.digest('hex'));
