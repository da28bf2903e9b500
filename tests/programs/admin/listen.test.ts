import { expect } from 'chai';
import { listen } from '../../../src/programs/admin/listen.js';

describe('A port that cannot be opened is reported in one line, with the setting to change:', () => {
  for (const [code, variable, message] of [
    ['EADDRINUSE', 'ADMIN_PORT', /^Port 80 of ::1 is taken: .*, or set ADMIN_PORT to another one\.$/],
    ['EACCES', 'PORT', /^This user may not open port 80 of ::1: set PORT to one above 1023\.$/],
    ['EADDRNOTAVAIL', 'PORT', /^This machine has no address ::1: set HOST to one of its addresses, /],
    ['ENOTFOUND', 'ADMIN_PORT', /^This machine has no address ::1: set ADMIN_HOST to one of its addresses, /],
    ['EMFILE', 'PORT', /^EMFILE$/],
  ] as const) {
    it(`${code} of ${variable}`, async () => {
      const start = () => Promise.reject(Object.assign(new Error(code), { code }));
      const failure = await listen({ start }, variable, 80, '::1').catch((error: Error) => error.message);
      expect(failure).to.match(message);
    });
  }
});
