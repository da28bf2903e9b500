import { createHash } from 'node:crypto';
import type pg from 'pg';

/** Texts differ by the kind of request and not by values, so there are fewer than this. */
const MAX_STATEMENTS = 200;
/** An unknown name, or one in use, shows that sessions are shared. */
const SESSION_IS_SHARED = new Set(['26000', '42P05']);
/** The type of a column has changed, so PostgreSQL rejects the prepared statement. */
const TYPES_CHANGED = '0A000';

/**
 * Each statement is sent in full once per session, so PostgreSQL parses it once. It is planned each
 * time: no generic plan suits small and large organizations.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #isAllowed = true;

  /** For a session that no pooler shares. */
  prepareOn(client: pg.Client): void {
    const send: (...args: unknown[]) => unknown = client.query.bind(client);
    const named = (statement: unknown, ...args: unknown[]) => send(this.#named(statement), ...args);
    client.query = named as typeof client.query;
  }

  /** Whether a rejected statement can be repeated on another connection. */
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
    if (this.#names.size === MAX_STATEMENTS) return null;
    // If sessions are shared after all, a name means the same to all clients.
    const name = `read_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}

/** A text without values may contain several statements. */
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
