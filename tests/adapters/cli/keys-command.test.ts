import { expect } from 'chai';
import sinon from 'sinon';
import { runKeysCommand } from '../../../src/adapters/cli/keys-command.js';
import type { KeyManager, ListedKey } from '../../../src/domain/ports/dashboard/key-manager.js';

const createdAt = new Date('2026-01-15T12:00:00Z');
const expiresAt = new Date('2027-01-31T00:00:00Z');
const KEY: ListedKey = {
  id: 'key_1',
  name: '',
  prefix: 'brk_abcd',
  createdAt,
  expiresAt: null,
  revokedAt: null,
};

describe('The command keys', () => {
  let keys: sinon.SinonStubbedInstance<KeyManager>;

  beforeEach(() => {
    keys = { create: sinon.stub(), list: sinon.stub(), revoke: sinon.stub() };
    keys.create.resolves({ id: 'key_1', key: 'brk_secret' });
  });

  /** What it prints, of which with `--json` nothing but one line is expected. */
  async function printed(command: Parameters<typeof runKeysCommand>[0]): Promise<string> {
    const print = sinon.stub<[string], void>();
    await runKeysCommand(command, keys, print);
    sinon.assert.calledOnce(print);
    return print.args.join();
  }
  const create = (json: boolean, expires = expiresAt) =>
    printed({ name: 'keys create', organizationId: 'org_a', keyName: 'Site', expiresAt: expires, json });
  const list = (json = false) => printed({ name: 'keys list', organizationId: 'org_a', json });

  it('create prints id and key, and that this is the only time; with --json both in one line', async () => {
    const text = await create(false);
    expect(text)
      .to.match(/^id {3}key_1\nkey {2}brk_secret\n/)
      .and.to.include('once');
    expect(keys.create.args).to.eql([['org_a', 'Site', expiresAt]]);
    expect(await create(true)).to.equal('{"id":"key_1","key":"brk_secret"}');
  });

  it('create reports that a key that expires in the past does not work', async () => {
    const text = await create(false, new Date('2020-01-01T00:00:00Z'));
    expect(text).to.include('It does not work: it expired 2020-01-01T00:00:00.000Z.');
    expect(text).not.to.include('a moment later');
  });

  it('list prints a line for each key, with its state; with --json all in one line', async () => {
    const never = Number.POSITIVE_INFINITY as unknown as Date;
    keys.list.resolves([
      { ...KEY, name: 'Site' },
      { ...KEY, expiresAt },
      { ...KEY, expiresAt: never },
      { ...KEY, expiresAt, revokedAt: new Date('2026-02-01T00:00:00Z') },
    ]);
    const begin = 'key_1  brk_abcd…  created 2026-01-15T12:00:00.000Z';
    expect((await list()).split('\n')).to.eql([
      `${begin}  does not expire  Site`,
      `${begin}  expires 2027-01-31T00:00:00.000Z`,
      `${begin}  expires at no time`,
      `${begin}  revoked 2026-02-01T00:00:00.000Z`,
    ]);
    expect(keys.list.args).to.eql([['org_a']]);

    keys.list.resolves([{ ...KEY, name: 'Two\nlines' }]);
    const json = await list(true);
    expect(json).not.to.include('\n');
    expect(JSON.parse(json)).to.eql([{ ...KEY, name: 'Two\nlines', createdAt: createdAt.toISOString() }]);

    keys.list.resolves([]);
    expect([await list(true), await list()]).to.eql(['[]', 'No keys.']);
  });

  it('revoke revokes the key and says when it is refused', async () => {
    expect(await printed({ name: 'keys revoke', id: 'key_1' })).to.equal(
      'Revoked key_1. It is refused a moment later, if the sync worker runs. ' +
        'If it is still accepted, see "A revoked key still works" in docs/operations/keys.md.',
    );
    expect(keys.revoke.args).to.eql([['key_1']]);
  });
});
