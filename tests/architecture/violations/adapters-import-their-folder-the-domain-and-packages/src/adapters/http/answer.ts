import { capitals } from '../../utils/capitals.js'; // breach

export const answer = capitals;
