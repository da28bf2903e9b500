import { expect } from 'chai';
import { parseCommandLine, USAGE, UsageError } from '../../../src/adapters/cli/command-line.js';

const parse = (line: string) => parseCommandLine(line.split(' ').filter((word) => word !== ''));

/** The error message for a wrong command line. */
function errorFor(...words: readonly string[]): string {
  try {
    parseCommandLine(words);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`"${words.join(' ')}" is accepted as a command line`);
}

describe('parseCommandLine', () => {
  for (const name of [
    'embedded',
    'api',
    'sync',
    'migrate',
    'dashboard:migrate',
    'demo:load',
    'demo:edit',
  ] as const) {
    it(`accepts ${name}`, () => {
      expect(parse(name)).to.include({ name });
    });

    it(`accepts neither flags nor arguments after ${name}`, () => {
      expect(errorFor(name, '--port', '80')).to.include('--port');
      expect(errorFor(name, 'now')).to.include('now');
    });

    it(`shows the usage when help is requested with ${name}`, () => {
      for (const flag of ['--help', '-h']) expect(parse(`${name} ${flag}`)).to.eql({ name: 'help' });
    });

    it(`explains ${name} in the usage`, () => {
      expect(USAGE).to.match(new RegExp(`^  ${name} `, 'm'));
    });
  }

  it('runs the API in one process, in the given number of processes, or in one for each processor', () => {
    expect(parse('api')).to.eql({ name: 'api', processes: null });
    expect(parse('api --processes 4')).to.eql({ name: 'api', processes: 4 });
    expect(parse('api --processes auto')).to.eql({ name: 'api', processes: 'auto' });
    expect(USAGE).to.include('  api --processes N|auto ');
    for (const count of ['0', '257', '-1', '2.5', 'all', '4x', '']) {
      expect(errorFor('api', `--processes=${count}`)).to.equal(
        `--processes takes auto, or a whole number from 1 to 256, not "${count}".`,
      );
    }
  });

  it('syncs until it is stopped if no flag is given', () => {
    expect(parse('sync')).to.eql({ name: 'sync', mode: 'continuous' });
  });

  for (const mode of ['once', 'rebuild', 'accept-dashboard'] as const) {
    it(`accepts sync --${mode}`, () => {
      expect(parse(`sync --${mode}`)).to.eql({ name: 'sync', mode });
      expect(USAGE).to.include(`  sync --${mode} `);
    });
  }

  it('accepts sync --status, as text or as JSON', () => {
    const status = { name: 'sync', mode: 'status', json: false, organizationId: null };
    expect(parse('sync --status')).to.eql(status);
    expect(parse('sync --json --status')).to.eql({ ...status, json: true });
    expect(parse('sync --status --organization org_a')).to.eql({ ...status, organizationId: 'org_a' });
    expect(errorFor('sync', '--organization', 'org_a')).to.equal('--organization requires sync --status.');
    expect(USAGE).to.include('  sync --status [--json] [--organization ID]\n');
  });

  for (const [one, other] of [
    ['--once', '--rebuild'],
    ['--status', '--once'],
    ['--rebuild', '--status'],
  ] as const) {
    it(`refuses ${other} together with ${one}`, () => {
      expect(errorFor('sync', one, other)).to.equal(
        'sync takes at most one of --once, --rebuild, --status and --accept-dashboard.',
      );
    });
  }

  for (const line of ['sync --json', 'sync --once --json', 'sync --json --rebuild']) {
    it(`refuses JSON for "${line}"`, () => {
      expect(errorFor(...line.split(' '))).to.equal('--json requires sync --status.');
    });
  }

  it('installs with migrate, and removes the change capture only with the full name of the flag', () => {
    expect(parse('migrate')).to.eql({ name: 'migrate', mode: 'install' });
    expect(parse('migrate --remove-capture')).to.eql({ name: 'migrate', mode: 'remove-capture' });
    expect(USAGE).to.include('  migrate --remove-capture ');
    for (const wrong of ['--remove', '--remove-capture=no', '--removeCapture']) {
      expect(errorFor('migrate', wrong)).to.include('--remove');
    }
  });

  it('accepts doctor, as text or as JSON', () => {
    expect(parse('doctor')).to.eql({ name: 'doctor', json: false });
    expect(parse('doctor --json')).to.eql({ name: 'doctor', json: true });
    expect(USAGE).to.include('  doctor [--json] ');
    expect(errorFor('doctor', '--port')).to.include('--port');
    expect(errorFor('doctor', 'now')).to.include('now');
  });

  it('edits the demo, with a given title or a default one', () => {
    expect(parse('demo:edit')).to.eql({ name: 'demo:edit', title: null });
    expect(parseCommandLine(['demo:edit', '--title', 'A new title'])).to.eql({
      name: 'demo:edit',
      title: 'A new title',
    });
    expect(errorFor('demo:edit', '--title')).to.include('--title');
  });

  it('refuses other flags or arguments after sync', () => {
    expect(errorFor('sync', '--twice')).to.include('--twice');
    expect(errorFor('sync', '--once=true')).to.include('--once');
    expect(errorFor('sync', '--once', 'more')).to.include('more');
  });

  it('accepts keys create with only the organization', () => {
    expect(parse('keys create --organization org_a')).to.eql({
      name: 'keys create',
      organizationId: 'org_a',
      keyName: '',
      expiresAt: null,
      json: false,
    });
  });

  it('accepts keys create with all flags, in any order', () => {
    const words = ['keys', 'create', '--json', '--expires', '2027-01-31T12:00:00+02:00', '--name', 'My site'];

    expect(parseCommandLine([...words, '--organization=org a'])).to.eql({
      name: 'keys create',
      organizationId: 'org a',
      keyName: 'My site',
      expiresAt: new Date('2027-01-31T10:00:00Z'),
      json: true,
    });
  });

  it('accepts keys list', () => {
    expect(parse('keys list --organization org_a')).to.eql({
      name: 'keys list',
      organizationId: 'org_a',
      json: false,
    });
    expect(parse('keys list --organization org_a --json')).to.include({ json: true });
  });

  it('accepts keys revoke', () => {
    expect(parse('keys revoke --id key_1')).to.eql({ name: 'keys revoke', id: 'key_1' });
  });

  it('accepts an id that begins with a dash after an equals sign', () => {
    expect(parse('keys revoke --id=-1')).to.include({ id: '-1' });
  });

  for (const [line, message] of [
    ['', 'A command is missing.'],
    ['serve', 'There is no command "serve".'],
    ['API', 'There is no command "API".'],
    ['--version', 'There is no command "--version".'],
    ['__proto__', 'There is no command "__proto__".'],
    ['keys', 'keys takes create, list or revoke.'],
    ['keys delete', 'keys takes create, list or revoke.'],
    ['keys --json', 'keys takes create, list or revoke.'],
    ['keys create', '--organization is missing.'],
    ['keys create --organization=', '--organization is missing.'],
    ['keys create --name Site', '--organization is missing.'],
    ['keys list', '--organization is missing.'],
    ['keys list --json', '--organization is missing.'],
    ['keys revoke', '--id is missing.'],
    ['keys revoke --id=', '--id is missing.'],
  ] as const) {
    it(`answers "${line}" with: ${message}`, () => {
      expect(errorFor(...line.split(' ').filter((word) => word !== ''))).to.equal(message);
    });
  }

  for (const [line, word] of [
    ['keys create --organization', '--organization'],
    ['keys create --organization --json', '--organization'],
    ['keys create --organization org_a extra', 'extra'],
    ['keys create --organization org_a --expiry 2027-01-31', '--expiry'],
    ['keys create --organization org_a --json=yes', '--json'],
    ['keys list --organization org_a --name Site', '--name'],
    ['keys list -o org_a', '-o'],
    ['keys revoke key_1', 'key_1'],
    ['keys revoke --id key_1 --json', '--json'],
  ] as const) {
    it(`names ${word} in the error for "${line}"`, () => {
      expect(errorFor(...line.split(' '))).to.include(word);
    });
  }
});

describe('the time at which a key expires', () => {
  const create = (expires: string) => ['keys', 'create', '--organization', 'org_a', '--expires', expires];

  for (const [text, time] of [
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T10:20Z', '2027-01-31T10:20:00.000Z'],
    ['2027-01-31T10:20:30Z', '2027-01-31T10:20:30.000Z'],
    ['2027-01-31T10:20:30.456Z', '2027-01-31T10:20:30.456Z'],
    ['2027-01-31T10:20:30-05:30', '2027-01-31T15:50:30.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ] as const) {
    it(`is ${time} for ${text}`, () => {
      expect(parseCommandLine(create(text))).to.deep.include({ expiresAt: new Date(time) });
    });
  }

  for (const text of [
    '',
    'tomorrow',
    '31.01.2027',
    '01/31/2027',
    '1798675200000',
    '2027',
    '2027-13-01',
    '2027-01-32',
    '2027-01-31T25:00:00Z',
    '2027-01-31T10:20:30Z.',
    'on 2027-01-31',
  ]) {
    it(`cannot be "${text}"`, () => {
      expect(errorFor(...create(text))).to.equal(
        `--expires takes an ISO 8601 time such as 2027-01-31T00:00:00Z, not "${text}".`,
      );
    });
  }

  for (const text of ['2027-02-29', '2027-02-30T00:00:00Z', '2027-04-31']) {
    it(`cannot be ${text}, a day that does not exist`, () => {
      expect(errorFor(...create(text))).to.include('--expires');
    });
  }

  for (const text of ['2027-01-31junk', '2027-01-31 (noon)', '2027-01-31 10:20 PM']) {
    it(`cannot be "${text}", which only begins like a time`, () => {
      expect(errorFor(...create(text))).to.include('--expires');
    });
  }
});
