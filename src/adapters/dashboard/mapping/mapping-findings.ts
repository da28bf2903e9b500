/** What a check of a mapping came to, in words of the mapping. */
export interface MappingFindings {
  /** With any of them, nothing is made. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}
