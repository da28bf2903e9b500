import { expect } from 'chai';
import type { KeyHasher } from '../../domain/ports/system/key-hasher.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';

export function keyHasherContract(
  runner: Runner,
  Adapter: AdapterClass<KeyHasher>,
  makeSubject: () => KeyHasher,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a key hasher,`, () => {
    let hasher: KeyHasher;

    beforeEach(() => {
      hasher = makeSubject();
    });

    itIsTestedItself(runner, Adapter, () => hasher);

    // Three from FIPS 180-2 and its errata, the last by sha256sum of GNU coreutils.
    for (const [key, hash] of [
      ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
      ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
      [
        'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
        '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
      ],
      ['Schlüssel \u{1f511}', '87f62fd63f017eec6d51ba32c7e92121e9830490878e3aa1e4c7c0c921ba0ee8'],
    ] as const) {
      it(`hashes "${key}" with SHA-256, as UTF-8, to lower-case hex`, () => {
        expect(hasher.hash(key)).to.equal(hash);
      });
    }
  });
}
