import type { Key } from '../model/key.js';
import type { Keys } from '../ports/key-directory.js'; // breach
import { longest } from './lengths.js';

export const isValid = (keys: Keys, key: Key) => keys.includes(key.slice(0, longest));
