/** The result of one look at the change capture in the dashboard's database. */
export interface CaptureLook {
  /** What is wrong, so that changes may not be captured. */
  readonly broken: readonly string[];
  /** For each object of the capture, a value that differs after any modification. */
  readonly seen: Readonly<Record<string, string>>;
}

export interface CaptureState extends CaptureLook {
  /** A newer version has installed it, and this one cannot judge it. */
  readonly isNewer: boolean;
}

/** What is stored of earlier checks. */
export interface NotedCapture {
  /** As it was at the last look, from the first complete one on. Null: it never was complete. */
  readonly seen: CaptureLook['seen'] | null;
  readonly isBroken: boolean;
}

export type CaptureChange =
  /** Unchanged since the last look. */
  | { readonly kind: 'none' }
  | { readonly kind: 'broken' }
  /** Complete now, after an interruption that changed these objects. */
  | { readonly kind: 'repaired'; readonly changed: readonly string[] };

/** Counting all changes of a long queue would take longer than an operator waits. */
export const MAX_COUNTED_CHANGES = 10_000;

/** The change queue as operators see it. */
export interface ChangeQueue {
  /** One more than `MAX_COUNTED_CHANGES`: there are more. */
  readonly length: number;
  /** How long the oldest change has been waiting. Null: the queue is empty. */
  readonly lagMs: number | null;
}
