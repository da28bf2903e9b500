import { parse } from 'yaml'; // breach

export const settings = parse;
