/** A category or a tag as part of a blog. */
export interface Term {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}
