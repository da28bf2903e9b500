import { expect } from 'chai';
import { parseCommandLine, USAGE, UsageError } from '../../../src/adapters/cli/command-line.js';

const words = (line: string) => line.split(' ').filter((word) => word !== '');
const parse = (line: string) => parseCommandLine(words(line));

/** The error message for a wrong command line. */
function errorFor(...given: readonly string[]): string {
  try {
    parseCommandLine(given);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`"${given.join(' ')}" is accepted as a command line`);
}

const STATUS = { name: 'sync', mode: 'status', json: false };
const CREATE = { name: 'keys create', organizationId: 'org_a', keyName: '', expiresAt: null, json: false };
const EXCLUSIVE = 'sync takes at most one of --once, --rebuild, --status, --accept-dashboard.';

const ACCEPTED: Readonly<Record<string, object>> = {
  embedded: { name: 'embedded' },
  api: { name: 'api', processes: null },
  'api --processes 4': { name: 'api', processes: 4 },
  'api --processes auto': { name: 'api', processes: 'auto' },
  sync: { name: 'sync', mode: 'continuous' },
  'sync --once': { name: 'sync', mode: 'once' },
  'sync --rebuild': { name: 'sync', mode: 'rebuild' },
  'sync --accept-dashboard': { name: 'sync', mode: 'accept-dashboard' },
  'sync --status': STATUS,
  'sync --json --status': { ...STATUS, json: true },
  migrate: { name: 'migrate', mode: 'install' },
  'migrate --with-grants': {
    ...{ name: 'migrate', mode: 'with-grants' },
    roles: { api: 'content_api', sync: 'content_sync_worker' },
  },
  'migrate --with-grants --api-role a --sync-role w': {
    ...{ name: 'migrate', mode: 'with-grants' },
    roles: { api: 'a', sync: 'w' },
  },
  'migrate --grants --sync-role w': { mode: 'grants', roles: { api: 'content_api', sync: 'w' } },
  'migrate --remove-capture': { name: 'migrate', mode: 'remove-capture' },
  'dashboard:migrate': { name: 'dashboard:migrate' },
  doctor: { name: 'doctor', json: false },
  'doctor --json': { name: 'doctor', json: true },
  'demo:load': { name: 'demo:load' },
  'demo:edit': { name: 'demo:edit', title: null },
  'demo:edit --title New': { name: 'demo:edit', title: 'New' },
  'keys create --organization org_a': CREATE,
  'keys create --json --name Site --organization=org_a': { ...CREATE, keyName: 'Site', json: true },
  'keys list --organization org_a': { name: 'keys list', organizationId: 'org_a', json: false },
  'keys list --organization org_a --json': { name: 'keys list', organizationId: 'org_a', json: true },
  'keys revoke --id key_1': { name: 'keys revoke', id: 'key_1' },
  'keys revoke --id=-1': { name: 'keys revoke', id: '-1' },
};

/** The whole message, or the word that it contains. */
const REFUSED: Readonly<Record<string, string>> = {
  '': 'A command is missing.',
  serve: 'There is no command "serve".',
  '--version': 'There is no command "--version".',
  __proto__: 'There is no command "__proto__".',
  'sync --once --rebuild': EXCLUSIVE,
  'sync --status --once': EXCLUSIVE,
  'sync --json': '--json requires sync --status.',
  'sync --twice': '--twice',
  'sync --once more': 'more',
  'migrate --remove': '--remove',
  'migrate --explain --remove-capture':
    'migrate takes at most one of --with-grants, --grants, --explain, --remove-capture.',
  'migrate --sync-role w': '--api-role and --sync-role require --with-grants or --grants.',
  'migrate --explain --api-role a': '--api-role and --sync-role require --with-grants or --grants.',
  'doctor --port': '--port',
  'demo:edit --title': '--title',
  keys: 'keys takes create, list or revoke.',
  'keys delete': 'keys takes create, list or revoke.',
  'keys create': '--organization is missing.',
  'keys create --organization=': '--organization is missing.',
  'keys create --organization': '--organization',
  'keys create --organization org_a --expiry 2027-01-31': '--expiry',
  'keys list --json': '--organization is missing.',
  'keys revoke': '--id is missing.',
  'keys revoke key_1': 'key_1',
  'keys revoke --id key_1 --json': '--json',
};

describe('parseCommandLine', () => {
  it('accepts each command with its flags, in any order', () => {
    for (const [line, command] of Object.entries(ACCEPTED))
      expect(parse(line), line).to.deep.include(command);
  });

  it('refuses everything else, with the reason', () => {
    for (const [line, reason] of Object.entries(REFUSED)) {
      expect(errorFor(...words(line)), line).to.include(reason);
    }
  });

  for (const name of [
    'embedded',
    'api',
    'sync',
    'migrate',
    'dashboard:migrate',
    'demo:load',
    'demo:edit',
    'doctor',
  ]) {
    it(`explains ${name} in the usage, and accepts neither other flags nor arguments after it`, () => {
      expect(USAGE).to.match(new RegExp(`^  ${name} `, 'm'));
      for (const flag of ['--help', '-h']) expect(parse(`${name} ${flag}`)).to.eql({ name: 'help' });
      expect(errorFor(name, '--port', '80')).to.include('--port');
      expect(errorFor(name, 'now')).to.include('now');
    });
  }

  it('takes one to 256 processes', () => {
    for (const count of ['0', '257', '-1', '2.5', 'all', '4x', '']) {
      expect(errorFor('api', `--processes=${count}`)).to.equal(
        `--processes takes auto, or a whole number from 1 to 256, not "${count}".`,
      );
    }
  });
});

describe('the time at which a key expires', () => {
  const create = (expires: string) => ['keys', 'create', '--organization', 'org_a', '--expires', expires];

  it('is given in the form of ISO 8601', () => {
    for (const [text, time] of [
      ['2027-01-31', '2027-01-31T00:00:00.000Z'],
      ['2027-01-31T10:20:30.456Z', '2027-01-31T10:20:30.456Z'],
      ['2027-01-31T10:20:30-05:30', '2027-01-31T15:50:30.000Z'],
      ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ] as const) {
      expect(parseCommandLine(create(text))).to.deep.include({ expiresAt: new Date(time) });
    }
  });

  it('has no other form, and is a day that exists', () => {
    for (const text of [
      ...['', 'tomorrow', '31.01.2027', '01/31/2027', '1798675200000', '2027', 'on 2027-01-31'],
      ...['2027-13-01', '2027-01-32', '2027-01-31T25:00:00Z', '2027-01-31T10:20:30Z.'],
      ...['2027-02-29', '2027-02-30T00:00:00Z', '2027-04-31'],
      ...['2027-01-31junk', '2027-01-31 (noon)', '2027-01-31 10:20 PM'],
    ]) {
      expect(errorFor(...create(text))).to.equal(
        `--expires takes an ISO 8601 time such as 2027-01-31T00:00:00Z, not "${text}".`,
      );
    }
  });
});
