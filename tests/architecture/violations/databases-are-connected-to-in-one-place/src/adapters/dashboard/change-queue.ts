import knex, { type Knex } from 'knex'; // breach

export const look = (database: Knex) => [knex, database];
