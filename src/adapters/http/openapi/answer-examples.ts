import type { Static } from 'typebox';
import type { OPERATIONS } from '../operations.js';

type Answers = {
  readonly [Described in (typeof OPERATIONS)[number] as Described['id']]: Static<Described['content']>;
};

const fields = {
  id: 'blog_hb_045',
  title: 'The tap and the broken tap',
  slug: 'the-tap-and-the-broken-tap',
  excerpt: "Threading a hole in steel is simple until it's silent.",
  metaTitle: null,
  metaDescription: 'Half a turn in, a quarter back. It breaks the chip.',
  featuredImageUrl: 'https://images.example.com/halfbright/the-tap-and-the-broken-tap.jpg',
  featuredImageAlt: 'A tap wrench above a block of steel',
  wordCount: 157,
  readingTimeMinutes: 1,
  publishedAt: '2026-10-18T05:47:09.964Z',
  websiteId: 'site_halfbright',
};
const metalwork = { name: 'Metalwork', slug: 'metalwork' };
const failure = { name: 'Failure', slug: 'failure' };

const oneBlog = {
  data: {
    ...fields,
    contentHtml: '<p>Half a turn in, a quarter back.</p>',
    categories: [{ id: 'cat_hb_metalwork', ...metalwork }],
    tags: [{ id: 'tag_hb_failure', ...failure }],
  },
};

export const ANSWER_EXAMPLES: Answers = {
  listBlogs: {
    data: [{ ...fields, categories: [metalwork], tags: [failure] }],
    pagination: { page: 1, limit: 1, total: 60, pages: 60 },
  },
  getBlogById: oneBlog,
  getBlogBySlug: oneBlog,
  listCategories: {
    data: [
      {
        id: 'cat_hb_metalwork',
        ...metalwork,
        description: 'Steel, brass and what they do to each other',
        parentId: null,
        sortOrder: 10,
        websiteId: 'site_halfbright',
      },
    ],
  },
  listTags: {
    data: [{ id: 'tag_hb_failure', ...failure, color: '#b5442e', websiteId: 'site_halfbright' }],
  },
};
