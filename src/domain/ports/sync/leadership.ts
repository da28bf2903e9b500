/** At most one worker leads at a time. */
export interface Leadership {
  /**
   * Begins a new epoch, which ends any other; null while another worker leads. A leader that
   * has not written for too long loses its leadership. `failure`: why this worker's last sessions
   * ended, for operators; null: they did not fail.
   */
  claim(failure: string | null): Promise<number | null>;
}
