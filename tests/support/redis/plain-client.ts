import { Redis } from 'ioredis';

/** A separate client with which each test inspects Redis. */
export function plainClient(url: () => string): () => Redis {
  let client: Redis | null = null;

  beforeEach(() => {
    client = new Redis(url());
    // Tests that end servers expect this error.
    client.on('error', () => {});
  });

  afterEach(() => {
    client?.disconnect();
    client = null;
  });

  return () => {
    if (client === null) throw new Error('The client exists only during tests');
    return client;
  };
}
