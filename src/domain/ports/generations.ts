/**
 * A number for each organization that grows with every change of its content or keys, and never returns to an old value.
 * Read before the data, it names what was read: an answer stored under it cannot outlive the next change.
 */
export interface Generations {
  /** 0 for an organization that never had anything. */
  current(organizationId: string): Promise<number>;
}
