import knex from 'knex'; // breach
import pg from 'pg';

export const start = () => [knex, pg];
