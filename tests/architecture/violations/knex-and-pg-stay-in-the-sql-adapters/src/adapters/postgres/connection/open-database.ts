import knex from 'knex';
import pg from 'pg';

export const read = () => [knex, pg];
