import { Ajv } from 'ajv'; // breach
import type { Knex } from 'knex'; // breach
import { expect } from 'chai'; // breach
import 'koa-compose'; // breach

export type Row = Knex;
export const ajv = new Ajv();
export { expect };
