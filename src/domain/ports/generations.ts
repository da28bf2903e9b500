/**
 * A number for each organization that grows with every change of its content or keys and never returns to an old value. It is read before
 * the data and identifies what was read: an answer that is cached under it is not used after the next change.
 */
export interface Generations {
  /** 0 for an organization without any content or keys so far. */
  current(organizationId: string): Promise<number>;
}
