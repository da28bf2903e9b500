/** A category or a tag as part of a blog. */
export interface Term {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

export interface Category {
  readonly id: string;
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly parentId: string | null;
  readonly sortOrder: number;
}

export interface Tag {
  readonly id: string;
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}
