import type { Knex } from 'knex'; // breach
import { quoted } from '../postgres/quoted.js'; // breach

export const mapping = (database: Knex) => [database, quoted];
