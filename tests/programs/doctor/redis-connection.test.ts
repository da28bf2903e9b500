import { expect } from 'chai';
import { redisConnectionCheck } from '../../../src/programs/doctor/redis-checks.js';

const USE = { name: 'redis', variable: 'REDIS_URL', keeps: 'limits and answers', program: 'api' } as const;

const ADVICE = {
  'WRONGPASS invalid username-password pair or user is disabled.': /user and password .* REDIS_URL/,
  'ERR DB index is out of range': /database in REDIS_URL that the server has/,
  "NOPERM this user has no permissions to run the 'select' command": /\+select/,
  'The server is a node of a Redis Cluster: name two of its nodes':
    /REDIS_URL as redis:\/\/one:6379,redis:\/\/other:6379/,
  'Failed to refresh slots cache. ERR This instance has cluster support disabled': /one address in REDIS_URL/,
  'failed to connect to sentinel 127.0.0.1:26379 because ERR No such master with that name':
    /SENTINEL MASTERS/,
  'ssl3_get_record:wrong version number': /rediss:\/\/ where/,
  'connect ETIMEDOUT': /REDIS_URL names the right host/,
  'self-signed certificate': /NODE_EXTRA_CA_CERTS/,
  'getaddrinfo ENOTFOUND nowhere': /host in REDIS_URL/,
};

describe('npm run doctor gives advice for a failed connection to Redis:', () => {
  for (const [problem, advice] of Object.entries(ADVICE)) {
    it(problem, async () => {
      const verdict = await redisConnectionCheck(USE, () => Promise.reject(new Error(problem))).look();
      expect(verdict).to.include({ outcome: 'failure', found: problem });
      expect(verdict).to.have.property('advice').that.matches(advice);
    });
  }
});
