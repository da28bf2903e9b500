import { expect } from 'chai';
import { listen } from '../../../src/programs/admin/listen.js';

describe('A port that cannot be opened is reported in one line, with the settings to change:', () => {
  for (const [code, variable, message] of [
    [
      'EADDRINUSE',
      'ADMIN_PORT',
      /^Port 80 of ::1 is taken: stop the program that uses it, or set ADMIN_PORT to another one\.$/,
    ],
    ['EACCES', 'PORT', /^Port 80 of ::1 cannot be opened \(EACCES\): set PORT or HOST to another one\.$/],
  ] as const) {
    it(`${code} of ${variable}`, async () => {
      const start = () => Promise.reject(Object.assign(new Error(code), { code }));
      const failure = await listen({ start }, variable, 80, '::1').catch((error: Error) => error.message);
      expect(failure).to.match(message);
    });
  }
});
