import { expect } from 'chai';
import fc from 'fast-check';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import type { ReceivedAnswer } from '../support/http/send-request.js';
import { STAGES } from '../support/http/stages.js';

const REQUESTS = 300;

/** Texts that are difficult for case folding, LIKE, SQL, JSON or URLs. */
const TRICKY = [
  ...'%_\\\'"`/?&=+#;:.*$^|()[]{}<>~-, \t\n',
  ...'aAbBsSiI',
  ...'ßẞſİıΣσςéÉèÅÅøØÆæǅǆŉﬃꞵẛ',
  'e\u0301',
  '\u0301',
  '\u0307',
  '\u0345',
  'SS',
  'ss',
  'I\u0307',
  ...'яЯ漢字ابעגहिกำ한가',
  '😀',
  '👩‍👩‍👧',
  '\u200d',
  '\ufeff',
  '\u00a0',
  '\u3000',
  '\u{10ffff}',
];

/** Any text that can be sent and stored: without NUL and without lone surrogates. */
const anyText = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength }),
      fc.string({ unit: 'binary', maxLength }),
      fc.string({ unit: fc.constantFrom(...TRICKY), maxLength }),
    )
    .map((text) => text.replaceAll('\0', ''));

const encoded = fc.oneof(
  anyText(6).map(encodeURIComponent),
  fc.constantFrom(
    ...['%00', '%', '%F', '%FF', '%C3%28', '%ED%A0%80', '%ed%bf%bf', '%2F', '%2e%2e', '%25', '%5C', '%0A'],
    ...['..', '.', '\xa0', '\xc3\xa0', '\xff', ...'"\'\\|^`{<#@:;*~'],
    ...['1', '0', '-1', '100', '101', '2147483647', '1e309', 'NaN'],
    ...['b1', 'slug-of-b1', 'web_a1', '__proto__'],
  ),
  fc.integer({ min: 1, max: 6000 }).map((length) => 'x'.repeat(length)),
);
const names = [
  ...['page', 'limit', 'category', 'tag', 'search', 'website_id'],
  ...['PAGE', 'page[]', 'page[a]', '__proto__', ''],
];
const pair = fc
  .tuple(fc.oneof(fc.constantFrom(...names), encoded), fc.option(encoded))
  .map(([name, value]) => (value === null ? name : `${name}=${value}`));
const prefix = fc.constantFrom(
  ...['/api/v1/blogs', '/api/v1/blogs/', '/api/v1/blogs/slug/', '/api/v1/categories', '/api/v1/tags'],
  ...['/api/v1/', '/', '//', 'http://x/api/v1/blogs', 'http://[', '*', ''],
);
const target = fc
  .tuple(prefix, fc.array(encoded, { maxLength: 2 }), fc.array(pair, { maxLength: 5 }))
  .map(
    ([start, segments, pairs]) =>
      `${start}${segments.join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`,
  )
  .filter((path) => path !== '' && path.length < 7500);
const request = fc.record({
  target,
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('GET') },
    { weight: 1, arbitrary: fc.constantFrom('DELETE', 'POST', 'OPTIONS') },
  ),
  encoding: fc.constantFrom('identity', '', '*;q=0', 'identity;q=0'),
});

const ONE_OF_EACH_STATUS = [
  { method: 'GET', target: '/api/v1/blogs' },
  { method: 'GET', target: '/api/v1/blogs?limit=0' },
  { method: 'GET', target: '/api/v1/blogs/b3' },
  { method: 'DELETE', target: '/api/v1/blogs' },
  { method: 'GET', target: '/api/v1/blogs/b1%00' },
].map((example) => ({ ...example, encoding: 'identity' }));

function expectEnvelope(answer: ReceivedAnswer): void {
  const { status, headers } = answer;
  expect(headers['content-type']).to.equal('application/json; charset=utf-8');
  if (status === 200) expect(answer.json()).to.have.property('data');
  else expect(answer.json()).to.have.nested.property('error.status', status);
}

for (const stage of STAGES) {
  describe(`Any request on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api, 'org_a');
      await api.put('blogs', aBlog({ id: 'b1' }), aBlog({ id: 'b2' }));
    });
    after(() => api.stop());

    it(`spec 7: none of ${REQUESTS} random requests gets a 5xx, and each gets an envelope`, async () => {
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(request, async ({ method, target, encoding }) => {
          const answer = await caller.send(method, target, { 'Accept-Encoding': encoding });
          expect(answer.status).to.be.within(200, 499);
          statuses.add(answer.status);
          expectEnvelope(answer);
        }),
        {
          numRuns: fc.readConfigureGlobal().numRuns ?? REQUESTS,
          examples: ONE_OF_EACH_STATUS.map((example) => [example]),
        },
      );
      expect([...statuses]).to.include.members([200, 400, 404, 405]);
    });
  });
}
