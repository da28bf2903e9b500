import { ConfigurationError } from '../../../src/composition/read-settings.js';

/** What a ConfigurationError says is wrong, a line each; fails if the configuration is taken as good. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  throw new Error('It is taken as a good configuration');
}
