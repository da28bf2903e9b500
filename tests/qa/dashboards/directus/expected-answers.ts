import { expect } from 'chai';
import { type Answers, expectShown } from '../service-on-dashboard.js';
import type { CategoryEntry, PostEntry } from './directus-admin.js';

interface Tag {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

export function expectAsInDirectus(answers: Answers, entry: PostEntry, tags: readonly Tag[]): void {
  const words = (entry.body ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '').length;
  expectShown(answers, {
    id: entry.id,
    websiteId: entry.website,
    title: entry.title,
    slug: entry.slug,
    excerpt: entry.summary,
    metaTitle: entry.meta_title,
    metaDescription: entry.meta_description,
    featuredImageUrl: entry.cover === null ? null : `https://cms.example.com/assets/${entry.cover.id}`,
    featuredImageAlt: entry.cover?.description ?? null,
    contentHtml: entry.body ?? '',
    wordCount: words,
    readingTimeMinutes: Math.ceil(words / 200),
    publishedAt: entry.published_on ?? entry.date_created,
  });
  const categories = entry.categories.flatMap(({ categories_id }) => categories_id ?? []);
  expect(answers.blog?.categories).to.have.deep.members(
    categories.map(({ id, name, slug }) => ({ id, name, slug })),
  );
  const ids = tagsOf([entry]).map(({ id }) => id);
  expect(answers.blog?.tags).to.have.deep.members(tags.filter(({ id }) => ids.includes(id)));
}

export function shownCategory({ id, website, parent, name, slug, description, sort }: CategoryEntry) {
  const fields = { parentId: parent, name, slug, description: description ?? '', sortOrder: sort ?? 0 };
  return { id, websiteId: website, ...fields };
}

/** The tags in JSON arrays: one for each slug, with the first of its names. */
export function tagsOf(entries: readonly PostEntry[]): readonly Tag[] {
  const tags = new Map<string, Tag>();
  for (const { website, tags: words } of entries) {
    if (!Array.isArray(words) || JSON.stringify(words).includes('\\u0000')) continue;
    const texts = words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word ?? '')));
    for (const name of texts.toSorted()) {
      const slug = name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '');
      const id = `${website}/${slug}`;
      const first = tags.get(id)?.name ?? name;
      if (slug !== '') tags.set(id, { id, name: first < name ? first : name, slug });
    }
  }
  return [...tags.values()];
}
