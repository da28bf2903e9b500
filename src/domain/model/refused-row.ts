/** A row that cannot be shown as it is, and the reason. */
export interface RefusedRow {
  readonly id: string;
  readonly reason: string;
}
