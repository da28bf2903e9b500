import { Ajv } from 'ajv'; // breach

export const flags = new Ajv();
