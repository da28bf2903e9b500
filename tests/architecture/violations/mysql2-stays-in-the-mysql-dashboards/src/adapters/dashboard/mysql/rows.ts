import type { Connection } from 'mysql2';

export const rows = (connection: Connection) => connection;
