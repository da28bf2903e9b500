/** Of all workers, at most one leads. */
export interface Leadership {
  /**
   * The epoch of this worker's lead, which begins; that of whoever led before is over. Null while another one leads. A leader that has not
   * written for too long is taken for frozen, and leads no more.
   */
  claim(): Promise<number | null>;
}
