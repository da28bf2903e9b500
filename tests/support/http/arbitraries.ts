import fc from 'fast-check';

/** Any text that can be sent and stored: without NUL and without lone surrogates. */
export const anyText = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength }),
      fc.string({ unit: 'binary', maxLength }),
      fc.string({ unit: fc.constantFrom(...TRICKY), maxLength }),
    )
    .map((text) => text.replaceAll('\0', ''));

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
