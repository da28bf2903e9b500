import { createConnection } from 'mysql2'; // breach

export const look = () => createConnection('');
