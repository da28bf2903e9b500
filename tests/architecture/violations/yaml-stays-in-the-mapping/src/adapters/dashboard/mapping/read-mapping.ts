import { parse } from 'yaml';

export const mapping = parse;
