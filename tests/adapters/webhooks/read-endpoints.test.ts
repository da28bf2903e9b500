import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { problemsOf } from '../../composition/problems-of.js';
import { syncConfiguration } from '../../support/programs/valid-configurations.js';
import { keyOf, SECRET } from '../../support/webhooks/receiver.js';

const OTHER = 'whsec_b2xkIHNlY3JldCBvZiBhIHJvdGF0aW9u';
const DATABASES = { READ_DATABASE_URL: 'postgres://h/r', WRITE_DATABASE_URL: 'postgres://h/w' };

describe('The file of WEBHOOKS', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    file = join(folder, 'webhooks.yaml');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const read = (text: string) => {
    put('webhooks.yaml', text);
    return syncConfiguration({ ...DATABASES, WEBHOOKS: file }).webhooks;
  };
  /** Without the name of the variable and the file. */
  const mistakesIn = (text: string) =>
    problemsOf(() => read(text)).map((problem) => {
      expect(problem.startsWith(`WEBHOOKS ${file}: `), problem).to.equal(true);
      return problem.slice(`WEBHOOKS ${file}: `.length);
    });

  it('is not needed', () => {
    expect(syncConfiguration(DATABASES).webhooks).to.deep.equal([]);
  });

  it('lists endpoints of one organization or of all, each with one secret or two', () => {
    put('secret.txt', `${SECRET}\n`);
    put('both.txt', `${SECRET}\n${OTHER}\n`);
    const endpoints = read(`endpoints:
      - { url: 'https://one.example/hook', secret: ${SECRET} }
      - { url: 'https://one.example/hook', organization: org_a, secret: [${SECRET}, ${OTHER}] }
      - { url: 'http://two.example', secret_file: secret.txt }
      - { url: 'https://three.example', secret_file: ${join(folder, 'both.txt')} }
      - { url: 'https://four.example', secret_file: [secret.txt, secret.txt] }`);
    expect(endpoints.map(({ url, organizationId }) => [url, organizationId])).to.deep.equal([
      ['https://one.example/hook', null],
      ['https://one.example/hook', 'org_a'],
      ['http://two.example/', null],
      ['https://three.example/', null],
      ['https://four.example/', null],
    ]);
    const [key, other] = [keyOf(SECRET), keyOf(OTHER)];
    expect(endpoints.map(({ secrets }) => secrets)).to.deep.equal([
      [key],
      [key, other],
      [key],
      [key, other],
      [key, key],
    ]);
  });

  it('identifies an endpoint by its URL and organization, whatever its position and secret', () => {
    const entry = (organization: string, secret = SECRET) =>
      `  - { url: 'https://one.example', organization: ${organization}, secret: ${secret} }\n`;
    const [a, b] = read(`endpoints:\n${entry('a')}${entry('b')}`);
    const [other, same] = read(`endpoints:\n${entry('c')}${entry('a', OTHER)}`);
    expect(same?.id).to.equal(a?.id);
    expect(new Set([a, b, other].map((endpoint) => endpoint?.id)).size).to.equal(3);
  });

  it('says of which website an endpoint is told, how often at most, and which headers it gets', () => {
    const url = `url: 'https://one.example', secret: ${SECRET}`;
    const [all, one, other, hourly] = read(`endpoints:
      - { ${url} }
      - { ${url}, website: site_1, at_most_every: 10s, headers: { Authorization: 'Bearer x', X-Empty: '' } }
      - { ${url}, organization: site_1, at_most_every: 5m }
      - { ${url}, website: site_1, organization: org_1, at_most_every: 1h }`);
    expect(all).to.deep.include({ websiteId: null, atMostEveryMs: 0, headers: {} });
    const headers = { Authorization: 'Bearer x', 'X-Empty': '' };
    expect(one).to.deep.include({ websiteId: 'site_1', atMostEveryMs: 10_000, headers });
    expect([other, hourly].map((endpoint) => endpoint?.atMostEveryMs)).to.deep.equal([300_000, 3_600_000]);
    expect(new Set([all, one, other, hourly].map((endpoint) => endpoint?.id)).size).to.equal(4);
  });

  it('has no period, website or header that means nothing', () => {
    const url = `url: 'https://one.example', secret: ${SECRET}`;
    const refused: readonly (readonly [string, readonly string[]])[] = [
      ['at_most_every', ['', '5', '5 m', '0s', '1.5h', '-1m', '1d', '1234567s', '[5m]5', '{}']],
      ['website', ['', '42', '[]']],
      [
        'headers',
        [
          '',
          '[]',
          'text',
          '{ a: 1 }',
          '{ a b: x }',
          '{ a: "x\\ny" }',
          '{ a: "ж" }',
          '{ Content-Type: text/plain }',
        ],
      ],
      [
        'headers',
        ['{ webhook-id: x }', '{ HOST: x }', '{ content-length: "1" }', '{ Transfer-Encoding: chunked }'],
      ],
    ];
    for (const [field, values] of refused)
      for (const value of values) {
        const mistakes = mistakesIn(
          `endpoints:\n- ${url.replace(', secret', '\n  secret')}\n  ${field}: ${value}`,
        );
        expect(mistakes, `${field}: ${value}`).to.have.length(1);
        expect(mistakes[0]).to.match(/^(endpoints\[0\]\.|the file is not valid YAML)/);
      }
  });

  it('gives its endpoints a digest, another one as soon as it changes', () => {
    const text = `endpoints: [{ url: 'https://one.example', secret: ${SECRET} }]`;
    const files = [text, text, `${text} # again`].map((changed) => read(changed)[0]?.file);
    expect(new Set(files).size).to.equal(2);
    expect(files[1]).to.equal(files[0]);
  });

  it('gives an endpoint a name without what may be secret in its URL', () => {
    const [endpoint] = read(
      `endpoints: [{ url: 'https://me:word@one.example:8443/T0/key?token=x#y', secret: ${SECRET} }]`,
    );
    expect(endpoint?.name).to.equal('https://one.example:8443 (endpoint 1)');
  });

  it('has all its mistakes reported at once, with those of the variables and without a secret', () => {
    put(
      'webhooks.yaml',
      `endpoints:
      - { url: 'ftp://one.example', secret: ${SECRET} }
      - { url: 'https://two.example', organisation: org_a }
      - { url: 'https://three.example', organization: 42, secret: MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw }
      - { url: 'https://four.example', secret: ${SECRET}, secret_file: secret.txt }
      - { url: 'https://five.example', secret_file: missing.txt }
      - { url: 'https://six.example', secret: [${SECRET}, ${SECRET}, ${SECRET}] }
      - { url: 'https://a:%@seven.example', secret: [] }
      - https://eight.example
      - { url: 'https://nine.example', secret: ${SECRET} }
      - { url: 'https://nine.example/', secret: ${OTHER} }`,
    );
    const problems = problemsOf(() => syncConfiguration({ ...DATABASES, WEBHOOKS: file, SYNC_POLL_MS: 'x' }));
    expect(problems.join('\n')).not.to.match(/MfKQ|b2xk/);
    const [ofPolls, ...others] = problems;
    expect(ofPolls).to.match(/^SYNC_POLL_MS /);
    expect(others.map((problem) => problem.replace(`WEBHOOKS ${file}: `, ''))).to.deep.equal([
      'endpoints[0].url: expected a URL such as https://www.example.com/hooks/content',
      'endpoints[1].organisation: there is no such field; the fields are url, organization, website, secret, secret_file, at_most_every, headers',
      'endpoints[1]: expected either secret or secret_file',
      'endpoints[2].organization: expected the id of one, in quotes, or no such field for all',
      'endpoints[2].secret: expected whsec_ and base64 of 24 bytes or more: `echo whsec_$(openssl rand -base64 32)`',
      'endpoints[3]: expected either secret or secret_file',
      'endpoints[4].secret_file: cannot be read (ENOENT): it takes the path of a file that holds the secret',
      'endpoints[5].secret: expected one secret, or two during a rotation',
      'endpoints[6].url: expected a URL such as https://www.example.com/hooks/content',
      'endpoints[6].secret: expected whsec_ and base64 of 24 bytes or more: `echo whsec_$(openssl rand -base64 32)`',
      'endpoints[7]: expected { url, organization, secret }',
      'https://nine.example (endpoint 10): another one has the same url, organization and website',
    ]);
  });

  it('shows no secret in a message, whatever is wrong with it', () => {
    const url = `url: 'https://one.example'`;
    for (const text of [
      `endpoints: [{ ${url}, secret:${SECRET} }]`,
      `endpoints: [{ url:https://one.example/${SECRET}, secret: whsec_QUJD }]`,
      `endpoints: [{ ${url}, secret: *${SECRET} }]`,
      `endpoints:\n  - ${url}\n    secret: "${SECRET}\n`,
      `endpoints:\n- ${url}\n  secret: ${SECRET}\n ${SECRET}: [`,
      `endpoints: [1]\n${SECRET}: 1`,
    ])
      expect(mistakesIn(text).join(), text).not.to.contain(SECRET.slice(6));
  });

  it('has whole secrets of at least 24 bytes, and no organization without a value', () => {
    const url = `url: 'https://one.example'`;
    const whole = Buffer.alloc(25, 'ABCD').toString('base64');
    const tooShort = Buffer.alloc(23, 'ABCD').toString('base64');
    expect(read(`endpoints: [{ ${url}, secret: ${SECRET} }]`)[0]?.secrets[0]).to.have.length(24);
    for (const secret of [
      `whsec_${whole.slice(0, -3)}`,
      `whsec_${whole.slice(0, -1)}`,
      'whsec_',
      whole,
      `whsec_${tooShort}`,
      `[${SECRET}, whsec_${tooShort}]`,
    ])
      expect(mistakesIn(`endpoints: [{ ${url}, secret: ${secret} }]`)[0], secret).to.match(
        /^endpoints\[0\]\.secret: /,
      );
    for (const secret of [whole, whole.replace('==', '')])
      expect(read(`endpoints: [{ ${url}, secret: whsec_${secret} }]`)[0]?.secrets).to.deep.equal([
        Buffer.alloc(25, 'ABCD'),
      ]);
    expect(mistakesIn(`endpoints:\n- ${url}\n  organization:\n  secret: ${SECRET}`)[0]).to.match(
      /^endpoints\[0\]\.organization: /,
    );
  });

  it('must be YAML with endpoints, not too many', () => {
    const noList = 'expected `endpoints:`, a list of { url, organization, secret }';
    for (const text of ['', 'endpoints:', 'endpoints: []', '[]', 'nothing', 'endpoints: { url: x }'])
      expect(mistakesIn(text), text).to.deep.equal([noList]);
    expect(mistakesIn(`endpoints: [1]\nretries: 5`)).to.deep.equal([
      'retries: there is no such field; the only one is endpoints',
      'endpoints[0]: expected { url, organization, secret }',
    ]);
    expect(mistakesIn(`endpoints: [1`)).to.deep.equal(['the file is not valid YAML: see line 1, column 14']);
    expect(mistakesIn(`endpoints: [${'1,'.repeat(101)}]`)[0]).to.match(
      /^101 endpoints; at most 100 are possible/,
    );
    rmSync(file);
    expect(problemsOf(() => syncConfiguration({ ...DATABASES, WEBHOOKS: file }))).to.deep.equal([
      `WEBHOOKS ${file}: the file cannot be read (ENOENT); correct the path`,
    ]);
  });
});
