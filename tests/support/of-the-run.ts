const ALL = Symbol.for('blog-content-read-api tests');

/**
 * State of the whole process. Mocha loads root hooks and test files in different ways, so each may have its own
 * instance of a module.
 */
export function ofTheRun<State extends object>(name: string, initial: State): State {
  const all = globalThis as { [ALL]?: Record<string, object> };
  all[ALL] ??= {};
  all[ALL][name] ??= initial;
  return all[ALL][name] as State;
}
