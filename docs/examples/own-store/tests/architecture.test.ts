import * as runner from 'node:test';
import { architectureContract, packageHome } from 'blog-content-read-api/architecture';

const layers = {
  sources: 'src',
  domain: [],
  composition: ['src/address.ts'],
  entryPoints: ['src/extension.ts', 'src/migrate.ts'],
  exports: [],
  suites: [],
};
const rules = [
  packageHome(
    'mysql2-stays-in-its-adapter',
    'mysql2',
    ['src/adapters/mariadb'],
    'Only the adapter uses the driver.',
    layers,
  ),
];

// The tests run in the folder of the package.
architectureContract(runner, { project: process.cwd(), layers, rules });
