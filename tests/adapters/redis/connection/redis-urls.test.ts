import { expect } from 'chai';
import { sentinelAddress } from '../../../../src/adapters/redis/connection/redis-urls.js';

describe('The address of a Redis behind Sentinel', () => {
  it('needs only a sentinel and the name of a master', () => {
    expect(sentinelAddress('sentinel://one/the-master')).to.deep.equal({
      sentinels: [{ host: 'one', port: 26_379 }],
      master: 'the-master',
      username: '',
      password: '',
      database: 0,
      sentinelUsername: '',
      sentinelPassword: '',
      hasTls: false,
    });
  });

  it('may have several sentinels, both accounts, a database number and TLS', () => {
    const url =
      'sentinels://api:p%40ss:w+rd%2F@one:1, 10.0.0.2:2,[::1]:3/my%20master?db=2&sentinel_user=s&sentinel_password=%26+%2F';
    expect(sentinelAddress(url)).to.deep.equal({
      sentinels: [
        { host: 'one', port: 1 },
        { host: '10.0.0.2', port: 2 },
        { host: '::1', port: 3 },
      ],
      master: 'my master',
      username: 'api',
      password: 'p@ss:w+rd/',
      database: 2,
      sentinelUsername: 's',
      sentinelPassword: '&+/',
      hasTls: true,
    });
  });

  it('may have a password without a user: that of the default user', () => {
    const { username, password } = sentinelAddress('sentinel://:word@one/the-master');
    expect({ username, password }).to.deep.equal({ username: '', password: 'word' });
  });
});
