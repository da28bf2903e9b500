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
  it('are numbered without gaps or repetition, with the same number in file name and heading', () => {
    const numbers = decisions.map((file) => Number(file.slice(0, 4)));
    expect(numbers).to.deep.equal(decisions.map((_, n) => n + 1));
    const headings = decisions.map(
      (file) => /^# (\d+)\. /.exec(readFileSync(join(FOLDER, file), 'utf8'))?.[1],
    );
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
