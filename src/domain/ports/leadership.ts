/** At most one worker leads at a time. */
export interface Leadership {
  /**
   * Begins a term of this worker as leader, which ends any other term, and returns its epoch. Null while another worker leads. A leader
   * that has not written for too long is considered frozen and loses its leadership.
   */
  claim(): Promise<number | null>;
}
