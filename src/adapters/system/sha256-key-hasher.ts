import { hash } from 'node:crypto';
import type { KeyHasher } from '../../domain/ports/system/key-hasher.js';

export class Sha256KeyHasher implements KeyHasher {
  hash(key: string): string {
    return hash('sha256', key);
  }
}
