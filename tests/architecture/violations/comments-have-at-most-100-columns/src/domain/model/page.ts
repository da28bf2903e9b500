/** A comment of one clause is fine. */
export interface Page {
  readonly limit: number;
}
