import { expect } from 'chai';
import { redisConnectionCheck } from '../../../src/programs/doctor/redis-checks.js';

const USE = { name: 'redis', variable: 'REDIS_URL', keeps: 'limits and answers', program: 'api' } as const;

const ADVICE = {
  'WRONGPASS invalid username-password pair or user is disabled.': /user and the password in REDIS_URL/,
  'ERR DB index is out of range': /database number in REDIS_URL that the server has/,
  "NOPERM this user has no permissions to run the 'select' command": /\+select/,
  'The server is a node of a Redis Cluster: write two of its nodes':
    /REDIS_URL as redis:\/\/one:6379,redis:\/\/other:6379/,
  'Failed to refresh slots cache. ERR This instance has cluster support disabled':
    /only one address in REDIS_URL/,
  'failed to connect to sentinel 127.0.0.1:26379 because ERR No such master with that name':
    /SENTINEL MASTERS/,
  'ssl3_get_record:wrong version number': /rediss:\/\/ if/,
  'connect ETIMEDOUT': /host and the port in REDIS_URL/,
  'self-signed certificate': /NODE_EXTRA_CA_CERTS/,
  'getaddrinfo ENOTFOUND nowhere': /host name in REDIS_URL/,
};

describe('npm run doctor gives advice for a failed connection to Redis:', () => {
  for (const [problem, advice] of Object.entries(ADVICE)) {
    it(problem, async () => {
      const verdict = await redisConnectionCheck(USE, () => Promise.reject(new Error(problem))).run();
      expect(verdict).to.include({ outcome: 'failure', found: problem });
      expect(verdict).to.have.property('advice').that.matches(advice);
    });
  }
});
