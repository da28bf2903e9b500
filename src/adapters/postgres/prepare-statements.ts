import { createHash } from 'node:crypto';
import type pg from 'pg';

/** Their texts differ by what is asked for, not by the values: they are fewer than these, and a session must not collect any number. */
const MOST_STATEMENTS = 200;
/** The name is not known, or known already: sessions change hands between, although nothing said so. */
const SESSION_IS_SHARED = new Set(['26000', '42P05']);
/** A column that is read has another type now: PostgreSQL refuses what was prepared before. */
const TYPES_CHANGED = '0A000';

/**
 * The statements of one pool. Each is sent whole once a session, and by its name from then on, so that PostgreSQL need not parse it again.
 * It is planned each time (`plan_cache_mode`): a plan for any values would suit neither a small organization nor a large one.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #isAllowed = true;

  /** For a session that no pooler gives to others. */
  prepareOn(client: pg.Client): void {
    const send: (...args: unknown[]) => unknown = client.query.bind(client);
    const named = (statement: unknown, ...args: unknown[]) => send(this.#named(statement), ...args);
    client.query = named as typeof client.query;
  }

  /** Whether what was refused can be asked again, on another connection. */
  isOutdated(code: string): boolean {
    if (SESSION_IS_SHARED.has(code)) this.#isAllowed = false;
    return code === TYPES_CHANGED || SESSION_IS_SHARED.has(code);
  }

  #named(statement: unknown): unknown {
    if (!this.#isAllowed || !hasValues(statement)) return statement;
    const name = this.#names.get(statement.text) ?? this.#newName(statement.text);
    return name === null ? statement : { ...statement, name };
  }

  #newName(text: string): string | null {
    if (this.#names.size === MOST_STATEMENTS) return null;
    // By its text: where sessions are shared after all, a name means the same to all who share them.
    const name = `read_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Without values, a text may be more than one statement. */
function hasValues(statement: unknown): statement is pg.QueryConfig {
  return (
    typeof statement === 'object' &&
    statement !== null &&
    'text' in statement &&
    'values' in statement &&
    Array.isArray(statement.values) &&
    statement.values.length > 0
  );
}
