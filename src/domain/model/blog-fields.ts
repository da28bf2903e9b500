interface BlogField {
  /** A text may be missing. A missing count is 0. */
  readonly type: 'text' | 'count';
  /** Shown to consumers in the API description. */
  readonly description: string;
}

/**
 * The fields that are copied unchanged from the dashboard to the answer, in its order. Types,
 * mappings, statements and schemas are derived from them: docs/adding-a-field.md.
 */
export const BLOG_FIELDS = {
  excerpt: { type: 'text', description: 'Short summary' },
  metaTitle: { type: 'text', description: 'Title for search engines' },
  metaDescription: { type: 'text', description: 'Description for search engines' },
  featuredImageUrl: { type: 'text', description: 'Null when no image is set' },
  featuredImageAlt: { type: 'text', description: 'Alternative text of the image' },
  wordCount: { type: 'count', description: 'Number of words of the content' },
  readingTimeMinutes: { type: 'count', description: 'Reading time in minutes' },
} as const satisfies Readonly<Record<string, BlogField>>;

type TypeOf<Name extends keyof typeof BLOG_FIELDS> = (typeof BLOG_FIELDS)[Name]['type'];
type NamesOf<Type> = {
  [Name in keyof typeof BLOG_FIELDS]: TypeOf<Name> extends Type ? Name : never;
}[keyof typeof BLOG_FIELDS];

export type BlogText = NamesOf<'text'>;
export type BlogCount = NamesOf<'count'>;

export const BLOG_TEXTS = namesOf('text') as readonly BlogText[];
export const BLOG_COUNTS = namesOf('count') as readonly BlogCount[];

export const BLOG_FIELD_NAMES = Object.keys(BLOG_FIELDS) as readonly (BlogText | BlogCount)[];

export type BlogFields = { readonly [Name in BlogText]: string | null } & {
  readonly [Name in BlogCount]: number;
};

/** The column of a field, in the dashboard's mapping and in the read tables. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Copies only these fields of a blog. A loop, because every answer is made with it. */
export function fieldsOf(blog: BlogFields): BlogFields {
  const fields: Record<string, string | number | null> = {};
  for (const name of BLOG_FIELD_NAMES) fields[name] = blog[name];
  return fields as unknown as BlogFields;
}

/** An object with a value for each of these fields. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => Value,
): { readonly [Each in Name]: Value } {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as { [Each in Name]: Value };
}

function namesOf(type: BlogField['type']): readonly string[] {
  return Object.entries(BLOG_FIELDS).flatMap(([name, field]) => (field.type === type ? [name] : []));
}

/** The name of a field of a row in a mapping, for its author. */
export function mappedColumnOf(field: string): string {
  return field === 'hash' ? 'key_hash' : columnOf(field);
}
