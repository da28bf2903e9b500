import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';

const FOLDER = 'docs/adr';
const SECTIONS = /^Context, Decision, Consequences, (Alternatives, )?Enforced by$/;
const decisions = readdirSync(FOLDER).toSorted();
const pages = [
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
  ...readdirSync('.'),
].filter((file) => file.endsWith('.md'));

describe('The architecture decisions', () => {
  it('are numbered without repetition or gaps, save for those that others say they replace', () => {
    const texts = decisions.map((file) => readFileSync(join(FOLDER, file), 'utf8'));
    const numbers = decisions.map((file) => Number(file.slice(0, 4)));
    const replaced = texts.flatMap((text) =>
      [...text.matchAll(/^It replaces [^#]*?\.$/gm)].flatMap(([sentence]) =>
        [...sentence.matchAll(/\(ADR (\d+)\)/g)].map(([, number]) => Number(number)),
      ),
    );
    const all = [...numbers, ...replaced].toSorted((a, b) => a - b);
    expect(all).to.deep.equal(all.map((_, n) => n + 1));
    const headings = texts.map((text) => /^# (\d+)\. /.exec(text)?.[1]);
    expect(headings.map(Number)).to.deep.equal(numbers);
  });

  it('have the same sections in the same order', () => {
    const others = decisions.filter((file) => {
      const headings = [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^## (.+)$/gm)];
      return !SECTIONS.test(headings.map(([, heading]) => heading).join(', '));
    });
    expect(others).to.deep.equal([]);
  });

  it('are referred to by their own number', () => {
    const wrong = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\[ADR (\d+)\]\(([^)#]+)\)/g)]
        .filter(([, number = '', file = '']) => {
          const name = basename(file);
          return !decisions.includes(name) || Number(name.slice(0, 4)) !== Number(number);
        })
        .map(([reference]) => `${page}: ${reference}`),
    );
    expect(wrong).to.deep.equal([]);
  });
});
