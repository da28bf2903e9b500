import { Client } from 'pg';

/** A connection that does not throw when the server stops: its queries fail, and it emits `end`. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
