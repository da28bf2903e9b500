/** What a check says to operators. */
export interface Finding {
  /** A warning: something has to be done, although the program works. */
  readonly outcome: 'ok' | 'warning' | 'failure';
  readonly message: string;
  /** What to do. Null: nothing, or what another finding advises. */
  readonly advice: string | null;
}

/** A check of something that a program depends on, for `/readyz` and the doctor. */
export interface Check {
  readonly name: string;
  /** False: if it fails, the program continues without what it checks. */
  readonly isNeeded: boolean;
  /** The names of checks. If one of them fails, this one says nothing. */
  readonly after: readonly string[];
  /** An error is a failure. */
  run(): Promise<Finding>;
}

export type Examined = readonly [check: Check, finding: Finding];
