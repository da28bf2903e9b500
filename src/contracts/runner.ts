/** The functions that define suites. Mocha and `node:test` provide them. */
export interface Runner {
  describe(title: string, define: () => void): void;
  readonly it: It;
  beforeEach(prepare: () => Promise<void> | void): void;
}

interface It {
  (title: string, test: () => Promise<void> | void): void;
  /** For a test that an adapter cannot support. The report still shows it. */
  skip(title: string, test: () => Promise<void> | void): void;
}
