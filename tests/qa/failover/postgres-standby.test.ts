import { expect } from 'chai';
import pg from 'pg';
import { ReplicatedPostgres } from '../support/servers/postgres-standby.js';

describe('A PostgreSQL with an asynchronous standby', () => {
  let server: ReplicatedPostgres;
  let url: string;

  before(async () => {
    server = await ReplicatedPostgres.start();
    url = await server.createDatabase('app');
    await ask('create table notes (text text)');
    await server.addStandby();
  });
  after(() => server?.stop());

  async function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }
  const notes = async () => (await ask('select text from notes order by text')).map(({ text }) => text);
  const identity = `select system_identifier::text, (select timeline_id from pg_control_checkpoint()) from pg_control_system()`;

  it('fails over any number of times to the state of the standby, on the same address and a new timeline', async () => {
    const [before] = await ask(identity);
    for (const round of ['a', 'b']) {
      await ask(`insert into notes values ('${round}, kept')`);
      await server.caughtUp();
      await server.stopReplicating();
      await ask(`insert into notes values ('${round}, lost')`);
      await server.failOver();
      await ask('checkpoint');
      expect(await notes())
        .to.include(`${round}, kept`)
        .and.not.to.include(`${round}, lost`);
      await server.addStandby();
    }
    const [after] = await ask(identity);
    expect(after).to.deep.include({ system_identifier: before?.system_identifier });
    expect(Number(after?.timeline_id)).to.equal(Number(before?.timeline_id) + 2);
  });
});
