import { resolve } from 'node:path';
import { packClient } from './packed-client.js';

/** `npm run pack:client`: writes the client as a separate package into the working directory. */
console.log(await packClient(resolve('.')));
