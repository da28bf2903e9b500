import type { Knex } from 'knex'; // breach
import pg from 'pg'; // breach

export const record = (knex: Knex) => [knex, pg];
