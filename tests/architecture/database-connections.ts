import ts from 'typescript';
import type { Breach, Check } from './check.js';
import { parse, placeOf, sourceFiles } from './sources.js';

const ALLOWED = [
  'src/adapters/sql/open-knex.ts',
  'src/adapters/sql/postgres/open-database.ts',
  // The embedded server's connection: it starts and stops a server, and reads nothing of its databases.
  'src/adapters/embedded/embedded-postgres.ts',
];

const connected = {
  name: 'databases-are-connected-to-in-one-place',
  comment:
    'A session without fixed settings reads times, rows and transactions as the server is configured, which has made revoked keys valid.',
};

/** Not checked with dependency-cruiser, which takes `import knex, { type Knex }` for an import of types only. */
export const databaseConnections: Check = {
  rules: [connected],

  async findBreaches(project) {
    const breaches: Breach[] = [];
    for (const file of ['sql', 'postgres', 'dashboard', 'embedded'].flatMap((adapter) =>
      sourceFiles(project, `src/adapters/${adapter}`),
    )) {
      if (ALLOWED.includes(file)) continue;
      for (const statement of parse(project, file).statements) {
        if (!ts.isImportDeclaration(statement) || !importsValues(statement)) continue;
        const { text } = statement.moduleSpecifier as ts.StringLiteral;
        if (['knex', 'pg', 'mysql2', 'mysql2/promise'].includes(text)) {
          breaches.push({ rule: connected.name, place: placeOf(statement), detail: `imports ${text}` });
        }
      }
    }
    return breaches;
  },
};

function importsValues({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return true;
  if (importClause.isTypeOnly) return false;
  const { name, namedBindings } = importClause;
  if (name !== undefined || namedBindings === undefined || ts.isNamespaceImport(namedBindings)) return true;
  return namedBindings.elements.some(({ isTypeOnly }) => !isTypeOnly);
}
