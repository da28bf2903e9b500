import type { KeyHasher } from '../../domain/ports/key-hasher.js';

export class ConstantKeyHasher implements KeyHasher { // breach
  hash(): string {
    return '';
  }
}
