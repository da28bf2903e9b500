import { Client } from 'pg';

export const connect = () => new Client();
