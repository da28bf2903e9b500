import knex from 'knex';

export const open = () => knex({ client: 'mysql2' });
