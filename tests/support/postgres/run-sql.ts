import pg from 'pg';

/** Runs a statement on a connection of its own, and returns its rows. */
export async function runSql<Row extends object = Record<string, unknown>>(
  url: string,
  sql: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client(url);
  // A server that ends the session may do so after the answer.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql, values === undefined ? undefined : [...values])).rows;
  } finally {
    await client.end();
  }
}
