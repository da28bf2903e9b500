export interface PageRequest {
  /** 1-indexed. */
  readonly page: number;
  readonly limit: number;
}

export interface Page<Item> extends PageRequest {
  readonly items: readonly Item[];
  /** All that match, on whatever page. */
  readonly total: number;
  readonly pages: number;
}
