import type { NextConfig } from 'next';

export default {
  // A page may wait for the rate limit of the API: an hour is enough for 6,000 requests.
  staticPageGenerationTimeout: 3600,
} satisfies NextConfig;
