import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { projectCode } from './project-code.js';
import { FOREIGN_NAMES, namesIn, wrongNames } from './wrong-names.js';

/** One wrong name of each sort, in a page that may name it. */
const PLANTED: readonly { readonly sort: string; readonly text: string; readonly page?: string }[] = [
  { sort: 'path', text: 'It is in `src/domain/queries/list-authors.ts`.' },
  { sort: 'path', text: 'It is in `tests/http/authors.test.ts`.' },
  { sort: 'path', text: 'See `docs/authors.md`.' },
  { sort: 'file', text: 'It is in `authors-of-blogs.test.ts`.' },
  { sort: 'file', text: 'It is in `readers/authors.ts`.' },
  { sort: 'link', text: 'See [authors](authors.md).' },
  { sort: 'link', text: 'See [authors](operations/alerts.md#authors-and-editors).' },
  { sort: 'link', text: '# Blogs\n\nSee [authors](#authors).' },
  { sort: 'test of an ADR', text: '\n## Enforced by\n\n`authors-away`.', page: 'docs/adr/0006-authors.md' },
  { sort: 'type', text: '`AuthorReader` reads them.' },
  { sort: 'type', text: '`AuthorReader.read` reads them.' },
  { sort: 'function or field', text: '`readAuthors` reads them, and `readAuthors()` too.' },
  { sort: 'function or field', text: 'Set `nameOfImage`.', page: 'docs/kubernetes.md' },
  { sort: 'term in the code', text: '| author | who writes | `author_rows` |', page: 'docs/glossary.md' },
  { sort: 'variable', text: 'Set `AUTHOR_CACHE_SECONDS`.' },
  { sort: 'variable', text: '```sh\nexport AUTHOR_CACHE_SECONDS=1\n```' },
  { sort: 'metric', text: '`blog_read_api_authors_total` grows.' },
  { sort: 'alert', text: '**BlogReadApiAuthors**: there are none.' },
  { sort: 'table', text: 'They are in `content_read.authors_of_blogs`.' },
  { sort: 'script', text: 'Run `npm run authors`.' },
  { sort: 'script', text: '```sh\nnpm run -s authors -- list\n```' },
  { sort: 'command', text: 'Run `npx blog-read-api authors`.' },
  { sort: 'flag', text: 'Run `npm run sync -- --authors`.' },
  { sort: 'flag', text: 'Run `sync --explain`, which is a flag of another command.' },
  { sort: 'flag', text: 'Give it `--authors`.' },
  { sort: 'flag', text: '```sh\nnpm run bench -- --authors\n```' },
  { sort: 'ADR', text: 'As in ADR 99.' },
];

describe('The pages of the documentation', () => {
  for (const page of projectCode.pages) {
    it(`name in ${page} only what exists`, () => {
      expect(wrongNames(page, readFileSync(page, 'utf8'))).to.deep.equal([]);
    });
  }

  for (const { sort, text, page = 'docs/architecture.md' } of PLANTED) {
    it(`are refused if they name a ${sort} that does not exist: ${text.replaceAll('\n', ' ')}`, () => {
      expect(wrongNames(page, text).map((name) => name.sort)).to.deep.equal([sort]);
    });
  }

  it('name all that is listed as a name of others', () => {
    const names = new Set(projectCode.pages.flatMap((page) => namesIn(page, readFileSync(page, 'utf8'))));
    expect(FOREIGN_NAMES.filter((name) => !names.has(name))).to.deep.equal([]);
    expect(names.size).to.be.greaterThan(600);
  });
});

describe('Each ADR', () => {
  for (const page of projectCode.pages.filter((file) => file.startsWith('docs/adr/'))) {
    it(`says at its end which tests fail without it: ${page}`, () => {
      const [, end = ''] = /\n## Enforced by\n([^#]+)$/.exec(readFileSync(page, 'utf8')) ?? [];
      expect(end).to.match(/`(?:tests|src\/contracts)\/[^`]+`/);
    });
  }
});

describe('The comments of the code', () => {
  for (const sort of ['path', 'type', 'script', 'ADR']) {
    it(`name no ${sort} that does not exist`, () => {
      const wrong = projectCode.sources.flatMap((file) =>
        wrongNames(file, readFileSync(file, 'utf8')).map((name) => ({ file, ...name })),
      );
      expect(wrong.filter((name) => name.sort === sort)).to.deep.equal([]);
    });
  }
});
