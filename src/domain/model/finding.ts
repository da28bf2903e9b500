/** What a check says to operators. */
export interface Finding {
  /** A warning: something has to be done, although the program works. */
  readonly outcome: 'ok' | 'warning' | 'failure';
  /** Which of several causes that the check tells apart. Null: it knows one. */
  readonly cause: string | null;
  readonly message: string;
  /** What to do. Null: nothing, or what another finding advises. */
  readonly advice: string | null;
}

/** A check of something that a program depends on, for `/readyz` and the doctor. */
export interface Check {
  readonly name: string;
  /** False: if it fails, the program continues without what it checks. */
  readonly isNeeded: boolean;
  /** False: only the doctor waits for it. */
  readonly isQuick: boolean;
  /** The names of checks. If one of them fails, this one says nothing. */
  readonly after: readonly string[];
  /** An error is a failure. */
  run(): Promise<Finding>;
}

/** A finding as it is reported, also by one process to another. */
export interface Examined extends Omit<Finding, 'cause'> {
  readonly check: string;
  /** The name of the check, and the cause after a point: stable, unlike the message. */
  readonly code: string;
  readonly isNeeded: boolean;
}
