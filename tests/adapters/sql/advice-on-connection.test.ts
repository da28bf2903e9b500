import { expect } from 'chai';
import { adviceOnConnection } from '../../../src/adapters/sql/advice-on-connection.js';

const LOGIN = 'the server answers: correct the user, the password and the database in READ_DATABASE_URL';

describe('The advice on a connection that cannot be opened', () => {
  for (const [code, message, advice] of [
    ['28P01', 'password authentication failed for user "app"', LOGIN],
    ['28000', 'role "app" is not permitted to log in', LOGIN],
    ['3D000', 'database "blog" does not exist', LOGIN],
    ['ER_ACCESS_DENIED_ERROR', "Access denied for user 'app'@'localhost'", LOGIN],
    ['ER_BAD_DB_ERROR', "Unknown database 'blog'", LOGIN],
    ['28000', 'no pg_hba.conf entry for host "::1", user "app", no encryption', /sslmode=verify-full/],
    ['ECONNREFUSED', 'connect ECONNREFUSED ::1:5432', /check that the server runs/],
    ['57P03', 'the database system is starting up', /check that the server runs/],
  ] as const)
    it(`follows from ${code}: ${message}`, () => {
      expect(adviceOnConnection('READ_DATABASE_URL')(Object.assign(new Error(message), { code }))).to.match(
        typeof advice === 'string' ? new RegExp(`^${advice}$`) : advice,
      );
    });
});
