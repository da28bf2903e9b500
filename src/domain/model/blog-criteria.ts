/** All conditions that a blog must match. Null: no such condition. */
export interface BlogCriteria {
  readonly websiteId: string | null;
  readonly categorySlug: string | null;
  readonly tagSlug: string | null;
  /** Part of the title. Both are folded before they are compared. */
  readonly foldedTitlePart: string | null;
}
