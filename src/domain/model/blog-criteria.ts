/** What a blog must match, every one of them; null: no such condition. */
export interface BlogCriteria {
  readonly websiteId: string | null;
  readonly categorySlug: string | null;
  readonly tagSlug: string | null;
  /** Part of the title, both folded for search. */
  readonly foldedTitlePart: string | null;
}
