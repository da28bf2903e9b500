/**
 * Grows with every change of an organization's content or keys and never returns to an old value.
 * It is read before the data, so an answer cached under it is never used after a change.
 */
export interface Generations {
  /** 0 for an organization without any content or keys so far. */
  current(organizationId: string): Promise<number>;
}
