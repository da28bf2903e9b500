/** Another product, filled with the blogs of the bench, and the requests for the same list of 20. */
export interface Peer {
  readonly address: string;
  /** The paths, by what they check. */
  readonly lists: Readonly<Record<string, string>>;
  /** The header that has the key. */
  readonly header: string;
  readonly keys: readonly string[];
  processorTime(): Promise<number>;
  /** As an administrator does. */
  revokeKey(): Promise<void>;
  stop(): Promise<void>;
}
