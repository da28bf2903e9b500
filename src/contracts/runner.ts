/** What suites are defined with: mocha, `node:test` and Vitest each have it. */
export interface Runner {
  describe(title: string, define: () => void): void;
  readonly it: It;
  beforeEach(prepare: () => Promise<void> | void): void;
}

interface It {
  (title: string, test: () => Promise<void> | void): void;
  /** For what an adapter has no means to show: it is in the report all the same. */
  skip(title: string, test: () => Promise<void> | void): void;
}
