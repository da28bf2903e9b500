import { Client } from 'pg';

/** One connection that ends itself without a fuss: a query on it fails, and `end` is emitted, when the server goes. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
