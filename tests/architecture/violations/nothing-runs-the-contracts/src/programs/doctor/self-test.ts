import { tagsContract } from '../../contracts/tags.contract.js'; // breach

export const selfTest = () => tagsContract();
