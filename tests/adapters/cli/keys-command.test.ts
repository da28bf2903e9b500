import { expect } from 'chai';
import sinon from 'sinon';
import { runKeysCommand } from '../../../src/adapters/cli/keys-command.js';
import type { KeyManager, ListedKey } from '../../../src/domain/ports/key-manager.js';

const createdAt = new Date('2026-01-15T12:00:00Z');

function anEntry(given: Partial<ListedKey>): ListedKey {
  return { id: 'key_1', name: '', prefix: 'brk_abcd', createdAt, expiresAt: null, revokedAt: null, ...given };
}

describe('the command keys', () => {
  const desk = {
    create: sinon.stub<Parameters<KeyManager['create']>, ReturnType<KeyManager['create']>>(),
    list: sinon.stub<Parameters<KeyManager['list']>, ReturnType<KeyManager['list']>>(),
    revoke: sinon.stub<Parameters<KeyManager['revoke']>, ReturnType<KeyManager['revoke']>>(),
  };
  let printed: string[];

  const run = async (command: Parameters<typeof runKeysCommand>[0]) => {
    await runKeysCommand(command, desk, (text) => printed.push(text));
    return printed;
  };

  beforeEach(() => {
    printed = [];
    for (const stub of Object.values(desk)) stub.reset();
  });

  describe('create', () => {
    const expiresAt = new Date('2027-01-31T00:00:00Z');
    const create = (json: boolean, expires = expiresAt) =>
      run({ name: 'keys create', organizationId: 'org_a', keyName: 'Site', expiresAt: expires, json });

    beforeEach(() => desk.create.resolves({ id: 'key_1', key: 'brk_secret' }));

    it('prints id and key, and that this is the only time', async () => {
      const [text, ...more] = await create(false);

      expect(text).to.match(/^id {3}key_1\nkey {2}brk_secret\n/);
      expect(text).to.include('once');
      expect(more).to.eql([]);
      expect(desk.create.args).to.eql([['org_a', 'Site', expiresAt]]);
    });

    it('reports that a key that expires in the past does not work', async () => {
      const [text] = await create(false, new Date('2020-01-01T00:00:00Z'));

      expect(text).to.include('It does not work: it expired 2020-01-01T00:00:00.000Z.');
      expect(text).not.to.include('a moment later');
    });

    it('prints one line of JSON, and nothing else, with --json', async () => {
      expect(await create(true)).to.eql(['{"id":"key_1","key":"brk_secret"}']);
    });
  });

  describe('list', () => {
    const list = (json = false) => run({ name: 'keys list', organizationId: 'org_a', json });

    it('prints a line for each key, with its state', async () => {
      desk.list.resolves([
        anEntry({ id: 'key_1', name: 'Site' }),
        anEntry({ id: 'key_2', expiresAt: new Date('2027-01-31T00:00:00Z') }),
        anEntry({
          id: 'key_3',
          expiresAt: new Date('2027-01-31T00:00:00Z'),
          revokedAt: new Date('2026-02-01T00:00:00Z'),
        }),
      ]);

      expect(await list()).to.eql([
        [
          'key_1  brk_abcd…  created 2026-01-15T12:00:00.000Z  does not expire  Site',
          'key_2  brk_abcd…  created 2026-01-15T12:00:00.000Z  expires 2027-01-31T00:00:00.000Z',
          'key_3  brk_abcd…  created 2026-01-15T12:00:00.000Z  revoked 2026-02-01T00:00:00.000Z',
        ].join('\n'),
      ]);
      expect(desk.list.args).to.eql([['org_a']]);
    });

    it('prints a key that expires at infinity', async () => {
      desk.list.resolves([anEntry({ expiresAt: Number.POSITIVE_INFINITY as unknown as Date })]);

      expect((await list())[0]).to.include('expires at no time');
    });

    it('prints one line of JSON with --json, even if there are none', async () => {
      desk.list.resolves([anEntry({ name: 'Two\nlines' })]);
      const [text = '', ...more] = await list(true);

      expect(JSON.parse(text)).to.eql([
        {
          id: 'key_1',
          name: 'Two\nlines',
          prefix: 'brk_abcd',
          createdAt: '2026-01-15T12:00:00.000Z',
          expiresAt: null,
          revokedAt: null,
        },
      ]);
      expect(text).not.to.include('\n');
      expect(more).to.eql([]);

      desk.list.resolves([]);
      expect((await list(true)).at(-1)).to.equal('[]');
      expect((await list()).at(-1)).to.equal('No keys.');
    });
  });

  describe('revoke', () => {
    it('revokes the key and confirms it', async () => {
      desk.revoke.resolves();

      expect(await run({ name: 'keys revoke', id: 'key_1' })).to.eql([
        'Revoked key_1. It is refused a moment later, if the sync worker runs. ' +
          'If it is still accepted, see "A revoked key still works" in docs/operations.md.',
      ]);
      expect(desk.revoke.args).to.eql([['key_1']]);
    });
  });
});
