import { Redis } from 'ioredis';

/** A client with which each test looks into Redis, beside what it tests. */
export function plainClient(url: () => string): () => Redis {
  let client: Redis | null = null;

  beforeEach(() => {
    client = new Redis(url());
    // Tests that end servers know that they do.
    client.on('error', () => {});
  });

  afterEach(() => {
    client?.disconnect();
    client = null;
  });

  return () => {
    if (client === null) throw new Error('The client is there during tests only');
    return client;
  };
}
