/** Knex gives a connection with this property to no other query. Its types do not declare it. */
export function disposeConnection(connection: object, reason: string): void {
  Object.assign(connection, { __knex__disposed: reason });
}
