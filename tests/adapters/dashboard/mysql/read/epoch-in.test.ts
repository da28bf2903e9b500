import { expect } from 'chai';
import { epochIn } from '../../../../../src/adapters/dashboard/mysql/read/epoch-in.js';

describe('A time of MariaDB', () => {
  for (const [zone, written, moment] of [
    ['UTC', '2024-05-06 07:08:09.123999', '2024-05-06T07:08:09.123Z'],
    ['UTC', '2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['UTC', '0001-01-01 00:00:00', '0001-01-01T00:00:00.000Z'],
    ['Europe/Paris', '2024-01-15 12:00:00', '2024-01-15T11:00:00.000Z'],
    ['Europe/Paris', '2024-07-15 12:00:00.5', '2024-07-15T10:00:00.500Z'],
    // An hour is skipped in spring, and an hour occurs twice in autumn.
    ['Europe/Paris', '2024-03-31 01:59:59', '2024-03-31T00:59:59.000Z'],
    ['Europe/Paris', '2024-03-31 02:30:00', '2024-03-31T01:30:00.000Z'],
    ['Europe/Paris', '2024-03-31 03:00:00', '2024-03-31T01:00:00.000Z'],
    ['Europe/Paris', '2024-10-27 02:30:00', '2024-10-27T01:30:00.000Z'],
    ['Europe/Paris', '2024-10-27 03:00:00', '2024-10-27T02:00:00.000Z'],
    ['America/New_York', '2024-11-03 01:30:00', '2024-11-03T06:30:00.000Z'],
    ['Asia/Kolkata', '2024-05-06 00:00:00', '2024-05-05T18:30:00.000Z'],
  ] as const) {
    it(`is ${moment} if clocks in ${zone} showed ${written}`, () => {
      expect(epochIn(zone, written)).to.equal(Date.parse(moment));
    });
  }

  for (const none of ['0000-00-00 00:00:00', '2024-00-10 00:00:00', '2024-02-30 00:00:00', '']) {
    it(`is null if it is written "${none}"`, () => {
      expect(epochIn('UTC', none)).to.equal(null);
    });
  }
});
