import { ConfigurationError } from '../../src/composition/settings/read-settings.js';

/** The lines of the ConfigurationError that `read` throws. Throws if the configuration is accepted. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  throw new Error('The configuration is accepted');
}
