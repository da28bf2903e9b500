/** Texts that change if a layer takes content for syntax. */
export const TROUBLESOME_TEXTS: readonly string[] = [
  '',
  ' ',
  'null',
  'NULL',
  '{}',
  '[{"id":"x"}]',
  `it's "quoted" \\ and \\" \\' \\\\`,
  "'; drop table blogs; --",
  '100% _sure_',
  '? ?? \\? :name $1',
  '\\x41 \\u0041 &amp; <b>',
  'line\r\nline\ttab\u0001\u001f\u007f',
  '\ufeffwith a mark before and spaces after \u00a0\u2028',
  '日本語 ελληνικά עברית हिन्दी',
  'é and e\u0301 differ',
  '👩‍👩‍👧 \u{1f600} \u{10ffff} \uffff',
  'İıẞßſKΣς',
];

/** About a megabyte that compresses badly. */
export const LONG_HTML = Array.from(
  { length: 20_000 },
  (_, n) => `<p title="${n}">“${n * 7919}” & ü</p>\n`,
).join('');

export const TROUBLESOME_TIMES: readonly number[] = [
  '-000043-03-15T11:22:33.444Z',
  '0001-01-01T00:00:00.000Z',
  '0001-12-31T23:59:59.999Z',
  '0099-06-15T12:00:00.001Z',
  '1582-10-10T00:00:00.500Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2024-02-29T23:59:59.123Z',
  '9999-12-31T23:59:59.999Z',
  '+012024-06-01T01:02:03.456Z',
].map((time) => Date.parse(time));
