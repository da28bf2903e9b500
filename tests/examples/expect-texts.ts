import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** The first match in a file, or an empty text. */
export function partOf(file: string, part: RegExp): string {
  return part.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
}

/** Fails with the place and the words that its text lacks. */
export function expectWords(place: string, text: string, words: readonly string[]): void {
  expectNone(
    `${place} lacks`,
    words.filter((word) => !new RegExp(`\\b${word}\\b`).test(text)),
  );
}

export function expectNone(problem: string, found: readonly string[]): void {
  if (found.length > 0) expect.fail(`${problem} ${found.join(', ')}`);
}
