/** Knex gives a connection that has this, whatever it holds, to no other query; it does not declare that. */
export function disposeConnection(connection: object, reason: string): void {
  Object.assign(connection, { __knex__disposed: reason });
}
