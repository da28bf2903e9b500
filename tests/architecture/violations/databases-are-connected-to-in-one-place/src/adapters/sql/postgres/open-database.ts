import knex from 'knex';
import pg from 'pg';

export const open = () => [knex, pg];
