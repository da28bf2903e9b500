import * as mocha from 'mocha';
import { Sha256KeyHasher } from '../../src/adapters/system/sha256-key-hasher.js';
import { keyHasherContract } from '../../src/contracts/system/key-hasher.contract.js';

keyHasherContract(mocha, Sha256KeyHasher, () => new Sha256KeyHasher());
