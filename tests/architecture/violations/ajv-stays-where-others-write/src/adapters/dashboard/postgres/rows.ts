import type { Ajv } from 'ajv'; // breach

export const rows = (ajv: Ajv) => ajv;
