import type { Session } from './database.js';

/** The identity of this read model: different for each database, and the same on a replica that takes over. */
export async function installationOf(session: Session): Promise<string> {
  const [row] = await session.query<{ identity: string }>(
    `select left(md5(concat(id, ' ', database())), 16) as identity from installation`,
  );
  if (row === undefined) throw new Error('The table installation has no row: run `npm run migrate`');
  return row.identity;
}
