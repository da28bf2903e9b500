import type { Connection } from 'mysql2/promise'; // breach

export const rows = (connection: Connection) => connection;
