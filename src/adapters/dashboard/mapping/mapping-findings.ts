/** The results of a check of a mapping, in terms of the mapping. */
export interface MappingFindings {
  /** If there are any, nothing is created. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}
