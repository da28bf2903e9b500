export interface PageRequest {
  /** The first page is 1. */
  readonly page: number;
  readonly limit: number;
}

export interface Page<Item> extends PageRequest {
  readonly items: readonly Item[];
  /** The number of matches on all pages. */
  readonly total: number;
  readonly pages: number;
}
