import { expect } from 'chai';
import type { Context } from 'mocha';
import { SettledSync } from './settled-sync.js';
import type { SyncedDatabases } from './synced-databases.js';

const ROWS = 1_000;
/** Of changes and of the jobs that they add. One by one, the rows would take thousands. */
const MAX_STEPS = 250;

/** A dashboard in which `name` of a tag is the result of a function. */
export interface FailingRows {
  readonly databases: SyncedDatabases;
  /** From now on, the function fails for these tags, of which `%` stands for all. */
  failFor(pattern: string): Promise<void>;
}

/** What happens to rows with which a function of the dashboard fails, on each engine. */
export function failingRowCases(open: (context: Context) => Promise<FailingRows>): void {
  let given: FailingRows;
  let sync: SettledSync;

  before(async function () {
    given = await open(this);
    const { dashboard } = given.databases;
    await dashboard('organizations').insert({ id: 'org', name: 'O' });
    await dashboard('websites').insert({ id: 'web', organization_id: 'org', name: 'W' });
    const tags = Array.from({ length: ROWS }, (_, n) => ({
      id: `tag_${n}`,
      website_id: 'web',
      slug: `s${n}`,
    }));
    await dashboard('stored_tags').insert(tags.map((tag) => ({ ...tag, name: 'Old' })));
    sync = await SettledSync.open(given.databases);
    await sync.settle();
  });
  after(async () => {
    await sync?.close();
    await given?.databases.close();
  });

  const rename = (name: string) => given.databases.dashboard('stored_tags').update({ name });
  const read = (table: string) => given.databases.readTables.withSchema('content_read').from(table);
  const count = async (name: string) =>
    Number((await read('tags').where({ name }).count({ total: '*' }))[0]?.total);

  const cause = /the row cannot be read: .*not this one/;

  it('applies all others in a few steps if it fails for one', async () => {
    await given.failFor('tag\\_500');
    await rename('New');
    expect(await sync.settle()).to.be.below(MAX_STEPS);
    expect(await count('New')).to.equal(ROWS - 1);
    expect(await count('Old')).to.equal(0);
    const [row, ...others] = await read('unshown_rows').select('kind', 'id', 'reason');
    expect(others).to.eql([]);
    expect(row).to.include({ kind: 'tags', id: 'tag_500' });
    expect(row.reason).to.match(cause);
  });

  it('keeps all as they were if it fails for all, and says why', async () => {
    await given.failFor('%');
    await rename('Newer');
    await sync.settle();
    expect(await count('New')).to.equal(ROWS - 1);
    expect(await read('unshown_rows').pluck('id')).to.eql(['tag_500']);
    const errors = await read('sync_jobs')
      .whereNull('finished_at')
      .where('attempts', '>', 0)
      .pluck('last_error');
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]).to.match(cause);
  });

  it('shows all when it fails for none', async () => {
    await given.failFor('none');
    await given.databases.requestEverything();
    await read('sync_jobs').update({ next_try_at: null });
    await read('unshown_rows').update({ retry_at: new Date(0) });
    await sync.settle();
    expect(await count('Newer')).to.equal(ROWS);
    expect(await read('unshown_rows').pluck('id')).to.eql([]);
  });
}
