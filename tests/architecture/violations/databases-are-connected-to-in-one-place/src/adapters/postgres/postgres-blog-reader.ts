import type { Knex } from 'knex';
import pg from 'pg'; // breach

export const read = (knex: Knex) => [knex, pg];
