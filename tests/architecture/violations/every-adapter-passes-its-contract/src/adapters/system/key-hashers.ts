import type { KeyHasher } from '../../domain/ports/key-hasher.js';

export const constant: KeyHasher = { hash: () => '' }; // breach
export const longer = { hash: (key: string) => key } satisfies KeyHasher; // breach
export function seeded(seed: string): KeyHasher { // breach
  return { hash: (key) => seed + key };
}
export const arrow = (): KeyHasher => constant; // breach
