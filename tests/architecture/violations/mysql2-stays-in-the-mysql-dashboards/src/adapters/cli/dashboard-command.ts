import type { Connection } from 'mysql2'; // breach

export const command = (connection: Connection) => connection;
