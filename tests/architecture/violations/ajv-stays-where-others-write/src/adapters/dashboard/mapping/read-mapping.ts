import { Ajv } from 'ajv';

export const mapping = new Ajv();
