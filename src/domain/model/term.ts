/** A category or a tag as a blog carries it. */
export interface Term {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}
