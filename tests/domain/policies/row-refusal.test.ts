import { expect } from 'chai';
import { aBlog, aCategory, aKey, aTag } from '../../../src/contracts/support/rows.js';
import {
  LONG_HTML,
  TROUBLESOME_TEXTS,
  TROUBLESOME_TIMES,
} from '../../../src/contracts/support/troublesome-values.js';
import { columnOf } from '../../../src/domain/model/blog-fields.js';
import type { RowKind, RowTypes } from '../../../src/domain/model/read-model.js';
import { refusalOf, refusalOfSizes } from '../../../src/domain/policies/row-refusal.js';

const ROWS: RowTypes = {
  apiKeys: aKey({ id: 'key' }),
  categories: aCategory({ id: 'category' }),
  tags: aTag({ id: 'tag' }),
  blogs: aBlog({ id: 'blog' }),
};

const OWNER = { id: 500, organizationId: 500 };
const TERM = { ...OWNER, websiteId: 500, slug: 1_000, name: 10_000 };
const TEXT = 10_000;

/** The longest text of each field, in bytes. */
const LIMITS: { readonly [Kind in RowKind]: Partial<Record<keyof RowTypes[Kind], number>> } = {
  apiKeys: { ...OWNER, hash: 500 },
  categories: { ...TERM, parentId: 500, description: TEXT },
  tags: TERM,
  blogs: {
    ...OWNER,
    websiteId: 500,
    slug: 1_000,
    title: TEXT,
    excerpt: TEXT,
    metaTitle: TEXT,
    metaDescription: TEXT,
    featuredImageUrl: TEXT,
    featuredImageAlt: TEXT,
    contentHtml: 4 * 1024 * 1024,
  },
};

describe('The limits of a row', () => {
  for (const kind of Object.keys(ROWS) as RowKind[]) {
    it(`accept ordinary ${kind}`, () => {
      expect(refusalOf(kind, ROWS[kind])).to.equal(null);
    });

    for (const [field, limit] of Object.entries(LIMITS[kind])) {
      it(`allow ${field} of ${kind} ${limit} bytes, and no more`, () => {
        const refusal = (text: string) => refusalOf(kind, { ...ROWS[kind], [field]: text });

        expect(refusal('x'.repeat(limit))).to.equal(null);
        const message = `${field === 'hash' ? 'key_hash' : columnOf(field)} has ${limit + 1} bytes; the limit is ${limit}`;
        expect(refusal('x'.repeat(limit + 1))).to.equal(message);
      });
    }
  }

  it('are the same for the sizes of rows that were not read', () => {
    expect(
      refusalOfSizes({ id: 500, slug: 1_000, title: TEXT, excerpt: null, contentHtml: 4 * 1024 * 1024 }),
    ).to.equal(null);
    expect(refusalOfSizes({ id: 500, title: TEXT + 1 })).to.equal(
      `title has ${TEXT + 1} bytes; the limit is ${TEXT}`,
    );
    expect(refusalOfSizes({ id: 501 })).to.equal('id has 501 bytes; the limit is 500');
    expect(refusalOfSizes({ tags: 20_001 })).to.equal('tags has 20001 bytes; the limit is 20000');
  });

  it('count bytes, not characters', () => {
    for (const [character, bytes] of [
      ['é', 2],
      ['€', 3],
      ['😀', 4],
    ] as const) {
      const slug = (count: number) =>
        refusalOf('blogs', aBlog({ id: 'blog', slug: character.repeat(count) }));
      const fitting = Math.floor(1_000 / bytes);
      expect(slug(fitting), character).to.equal(null);
      expect(slug(fitting + 1), character).to.match(/^slug has 100\d bytes/);
    }
  });

  it('accept missing values, unusual texts, and texts that are long but within the limits', () => {
    for (const text of TROUBLESOME_TEXTS) {
      expect(refusalOf('blogs', aBlog({ id: 'blog', title: text, excerpt: text, slug: text }))).to.equal(
        null,
      );
      expect(refusalOf('categories', aCategory({ id: 'category', parentId: null, name: text }))).to.equal(
        null,
      );
    }
    expect(refusalOf('blogs', aBlog({ id: 'blog', contentHtml: LONG_HTML }))).to.equal(null);
  });

  it('ignore the folded title, which may be longer than the title itself', () => {
    const title = 'ΐ'.repeat(5_000);
    expect(refusalOf('blogs', aBlog({ id: 'blog', title, foldedTitle: 'x'.repeat(300_000) }))).to.equal(null);
  });

  it('accept a blog with any publication time of the calendar', () => {
    for (const publishedAt of TROUBLESOME_TIMES) {
      expect(refusalOf('blogs', aBlog({ id: 'blog', publishedAt })), String(publishedAt)).to.equal(null);
    }
  });

  it('refuse a published blog without a time, and say so', () => {
    expect(refusalOf('blogs', aBlog({ id: 'blog', publishedAt: Number.NaN }))).to.equal(
      'published_at is null, but the blog is published',
    );
  });

  for (const publishedAt of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    it(`refuse a blog that was published at ${publishedAt}`, () => {
      expect(refusalOf('blogs', aBlog({ id: 'blog', publishedAt }))).to.equal(
        'published_at is not a valid time',
      );
    });
  }

  it('accept infinite times for the expiry and the revocation of a key', () => {
    const forEver = { expiresAt: Number.POSITIVE_INFINITY, revokedAt: Number.NEGATIVE_INFINITY };
    expect(refusalOf('apiKeys', aKey({ id: 'key', ...forEver }))).to.equal(null);
  });

  for (const color of ['#000000', '#FFFFFF', '#a1B2c3']) {
    it(`accept the color ${color} of a tag`, () => {
      expect(refusalOf('tags', aTag({ id: 'tag', color }))).to.equal(null);
    });
  }

  for (const color of ['', 'red', '#fff', '#12345g', '#1234567', ' #123456', '#123456\n', '123456']) {
    it(`refuse the color ${JSON.stringify(color)} of a tag`, () => {
      expect(refusalOf('tags', aTag({ id: 'tag', color }))).to.equal('color does not have the form #rrggbb');
    });
  }

  for (const terms of ['categories', 'tags'] as const) {
    it(`allow all ${terms} of a blog 20,000 bytes together, and no more`, () => {
      const names = (count: number) =>
        Array.from({ length: count }, () => ({ id: 'x', name: 'x'.repeat(9_898), slug: 'x' }));
      const refusal = (given: readonly { id: string; name: string; slug: string }[]) =>
        refusalOf('blogs', aBlog({ id: 'blog', [terms]: given }));
      expect(refusal(names(2))).to.equal(null);
      expect(refusal([...names(2), { id: 'x', name: '', slug: '' }])).to.equal(
        `${terms} has 20101 bytes; the limit is 20000`,
      );
    });

    it(`allow a blog at most 200 ${terms}, however short they are`, () => {
      const refusal = (count: number) =>
        refusalOf('blogs', aBlog({ id: 'blog', [terms]: Array(count).fill({ id: '', name: '', slug: '' }) }));
      expect(refusal(200)).to.equal(null);
      expect(refusal(201)).to.equal(`${terms} has 20100 bytes; the limit is 20000`);
    });

    it(`apply to the ${terms} of a blog, too, and the reason names the term`, () => {
      const good = { id: 'good', name: 'Good', slug: 'good' };
      const refusal = (bad: { id: string; name: string; slug: string }) =>
        refusalOf('blogs', aBlog({ id: 'blog', [terms]: [good, bad] }));

      expect(refusal({ ...good, id: 'bad', slug: 'x'.repeat(1_001) })).to.equal(
        'of the category or tag "bad", slug has 1001 bytes; the limit is 1000',
      );
      const endless = refusal({ ...good, id: 'x'.repeat(1_000_000) });
      expect(endless).to.match(/, id has 1000000 bytes/);
      expect(endless?.length, 'a reason is short').to.be.below(1_000);
      const odd = refusal({ ...good, id: `x${'😀'.repeat(1_000)}` });
      expect(() => encodeURIComponent(odd ?? ''), 'no half of a character').not.to.throw();
    });
  }
});
