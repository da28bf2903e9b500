/** A row that cannot be shown as it is, and why. */
export interface RefusedRow {
  readonly id: string;
  readonly reason: string;
}
