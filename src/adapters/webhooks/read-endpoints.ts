import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { dirname, resolve } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { codeOf } from '../../domain/policies/reason-of.js';

const FIELDS = ['url', 'organization', 'website', 'secret', 'secret_file', 'at_most_every', 'headers'];
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
/** Headers of the message or its connection, which an endpoint cannot set. */
const OWN_HEADERS =
  /^(webhook-.*|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|expect|upgrade)$/i;
/** Each endpoint may have several open calls. */
const MAX_ENDPOINTS = 100;
/** The minimum of Standard Webhooks. */
const MIN_SECRET_BYTES = 24;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The endpoints that a file lists, for the setting WEBHOOKS. Throws an AggregateError with all
 * mistakes, none of which shows a secret.
 */
export function readEndpoints(file: string): readonly WebhookEndpoint[] {
  const mistakes: string[] = [];
  const text = textOf(file);
  const entries = entriesOf(file, text, (mistake) => mistakes.push(mistake));
  const digest = digestOf(text);
  const endpoints = entries.flatMap((entry, index) => {
    const mistake = (text: string) => mistakes.push(`endpoints[${index}]${text}`);
    return endpointOf(entry, index + 1, dirname(file), digest, mistake) ?? [];
  });
  const ids = endpoints.map(({ id }) => id);
  for (const [index, { id, name }] of endpoints.entries()) {
    if (ids.indexOf(id) !== index)
      mistakes.push(`${name}: another one has the same url, organization and website`);
  }
  if (mistakes.length > 0) throw mistakesIn(file, mistakes);
  return endpoints;
}

function mistakesIn(file: string, mistakes: readonly string[]): AggregateError {
  return new AggregateError(mistakes.map((mistake) => new Error(`${file}: ${mistake}`)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw mistakesIn(file, [`the file cannot be read (${codeOf(error)}); correct the path`]);
  }
}

function contentOf(file: string, text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    throw mistakesIn(file, [`the file is not valid YAML${positionOf(error)}`]);
  }
}

function entriesOf(file: string, text: string, mistake: (text: string) => void): readonly unknown[] {
  const content = contentOf(file, text);
  const { endpoints, ...otherEntries } = isObject(content) ? content : {};
  if (!Array.isArray(endpoints) || endpoints.length === 0)
    throw mistakesIn(file, ['expected `endpoints:`, a list of { url, organization, secret }']);
  for (const field of Object.keys(otherEntries))
    mistake(`${shownField(field)}: there is no such field; the only one is endpoints`);
  if (endpoints.length > MAX_ENDPOINTS)
    mistake(
      `${endpoints.length} endpoints; at most ${MAX_ENDPOINTS} are possible: one can be told of all organizations`,
    );
  return endpoints;
}

/** The parser's own messages repeat the file, which may hold a secret. */
function positionOf(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return ': an alias (*) has no anchor; put such a value in quotes';
  const [position] = error.linePos ?? [];
  return position === undefined ? '' : `: see line ${position.line}, column ${position.col}`;
}

/** Without a space after its colon, a field has its value in its name. */
function shownField(field: string): string {
  return /^\w{1,24}$/.test(field) ? field : 'a field of another name (a space has to follow each colon)';
}

function endpointOf(
  entry: unknown,
  position: number,
  folder: string,
  file: string,
  mistake: (text: string) => void,
): WebhookEndpoint | null {
  if (!isObject(entry)) {
    mistake(': expected { url, organization, secret }');
    return null;
  }
  for (const field of Object.keys(entry))
    if (!FIELDS.includes(field))
      mistake(`.${shownField(field)}: there is no such field; the fields are ${FIELDS.join(', ')}`);
  const { url: address, at_most_every: period, headers = {} } = entry;
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : null;
  const isUrl = url !== null && /^https?:$/.test(url.protocol) && areDecodable(url);
  if (!isUrl) mistake('.url: expected a URL such as https://www.example.com/hooks/content');
  const idOf = (field: 'organization' | 'website') => {
    const { [field]: id } = entry;
    if (id === undefined) return null;
    if (typeof id === 'string' && id !== '') return id;
    mistake(`.${field}: expected the id of one, in quotes, or no such field for all`);
    return null;
  };
  const [organizationId, websiteId] = [idOf('organization'), idOf('website')];
  const [, number, unit = ''] = /^([1-9]\d{0,5})([smh])$/.exec(String(period ?? '')) ?? [];
  if (period !== undefined && number === undefined)
    mistake('.at_most_every: expected a time such as 10s, 5m or 1h');
  const areHeaders = isObject(headers) && Object.entries(headers).every(isHeader);
  if (!areHeaders)
    mistake('.headers: expected names and texts in quotes, of headers that no message has yet');
  const secrets = secretsOf(entry, folder, mistake);
  if (!isUrl || !areHeaders || secrets === null) return null;
  return {
    id: digestOf(JSON.stringify([url.href, organizationId, websiteId])),
    // Its path may be secret too.
    name: `${url.origin} (endpoint ${position})`,
    url: url.href,
    organizationId,
    websiteId,
    secrets,
    headers: headers as WebhookEndpoint['headers'],
    atMostEveryMs: Number(number ?? 0) * (SECONDS[unit] ?? 0) * 1_000,
    file,
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function isHeader([name, value]: readonly [string, unknown]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value as string);
    return typeof value === 'string' && !OWN_HEADERS.test(name);
  } catch {
    return false;
  }
}

function areDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Null: there is a mistake. */
function secretsOf(
  { secret, secret_file: file }: Readonly<Record<string, unknown>>,
  folder: string,
  mistake: (text: string) => void,
): readonly Uint8Array[] | null {
  if ((secret === undefined) === (file === undefined)) {
    mistake(': expected either secret or secret_file');
    return null;
  }
  const field = secret === undefined ? 'secret_file' : 'secret';
  const fail = (text: string): null => {
    mistake(`.${field}: ${text}`);
    return null;
  };
  const listed: readonly unknown[] = [secret ?? file].flat();
  let texts = listed;
  if (field === 'secret_file') {
    try {
      texts = listed.flatMap((path) =>
        readFileSync(resolve(folder, String(path)), 'utf8')
          .trim()
          .split(/\s+/),
      );
    } catch (error) {
      return fail(`cannot be read (${codeOf(error)}): it takes the path of a file that holds the secret`);
    }
  }
  const keys = texts.map((text) => keyIn(String(text)));
  const areValid = keys.length > 0 && keys.every(({ length }) => length >= MIN_SECRET_BYTES);
  if (!areValid)
    return fail('expected whsec_ and base64 of 24 bytes or more: `echo whsec_$(openssl rand -base64 32)`');
  return keys.length <= 2 ? keys : fail('expected one secret, or two during a rotation');
}

/** Empty: it is no secret, or is cut off. Decoders differ in what they read of a part. */
function keyIn(secret: string): Buffer {
  const [, base64 = ''] = SECRET.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  const padded = key.toString('base64');
  return base64 === padded || base64 === padded.replace(/=+$/, '') ? key : Buffer.alloc(0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
