import { Sha256KeyHasher } from '../../src/adapters/system/sha256-key-hasher.js';
import { keyHasherContract } from './key-hasher.contract.js';

keyHasherContract(Sha256KeyHasher, () => new Sha256KeyHasher());
