import { migrate } from './adapters/mariadb/migrate.js';
import { addressIn } from './address.js';

await migrate(addressIn(process.env));
console.log('The tables of the read model are created.');
