import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { processorTimeOfAll } from './processor-time.js';

/** The processor time so far of the server of this connection, in milliseconds. */
export async function postgresTime(client: pg.Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const status = await readFile(`/proc/${rows[0].pid}/stat`, 'utf8');
  return processorTimeOfAll(Number(/\) \S (\d+)/.exec(status)?.[1]));
}
