import { text } from '../postgres/literals.js'; // breach
import { quoted } from './quoted.js';

export const statement = () => [text('a'), quoted('b')];
