import { resolve } from 'node:path';
import { packClient } from './packed-client.js';

/** `npm run pack:client`: the client as a package of its own, in the working directory. */
console.log(await packClient(resolve('.')));
