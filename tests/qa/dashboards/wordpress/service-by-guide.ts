import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import mysql from 'mysql2/promise';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { ServiceOnDashboard } from '../service-on-dashboard.js';

const GUIDE = new URL('../../../../docs/examples/dashboards/wordpress/README.md', import.meta.url);

/** The service on the database of this URL, set up as the guide says. It runs with the users that the guide creates. */
export async function serviceByGuide(url: string): Promise<ServiceOnDashboard> {
  const text = await readFile(GUIDE, 'utf8');
  const [before = '', after = '', ...others] = [...text.matchAll(/^ *```sql\n([\s\S]*?)^ *```$/gm)].map(
    ([, sql]) => sql,
  );
  expect(others).to.eql([]);
  const database = await mysql.createConnection({ uri: url, multipleStatements: true });
  const runHere = (statements: string) =>
    database.query(statements.replaceAll('wordpress.', `${new URL(url).pathname.slice(1)}.`));
  const [migrationUrl = '', workerUrl = ''] = [
    ...`${before}${after}`.matchAll(/create user (\w+) identified by '(.+)'/g),
  ].map(([, username, password]) => Object.assign(new URL(url), { username, password }).href);
  const service = new ServiceOnDashboard(
    {
      mapping: fileURLToPath(new URL('mapping.yaml', GUIDE)),
      readDatabaseUrl: await createTestDatabase(),
      migrationUrl,
      workerUrl,
    },
    'wordpress',
  );
  try {
    await runHere(before);
    await service.run('migrate');
    await runHere(after);
  } finally {
    await database.end();
  }
  await service.useKeyOf('wordpress');
  await service.start();
  return service;
}
