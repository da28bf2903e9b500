import { selfTest } from '../composition/self-test.js';
import { tagsContract } from '../contracts/tags.contract.js'; // breach

export const main = () => selfTest() && tagsContract();
