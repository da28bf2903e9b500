module.exports = {
  'rest-cache': {
    config: {
      provider: { name: 'memory', options: { max: 32767, maxAge: 3600 } },
      strategy: {
        contentTypes: [
          { contentType: 'api::article.article', routes: [{ path: '/api/public-articles', method: 'GET' }] },
        ],
        // Requests with a key are cached too: the key is checked before.
        hitpass: false,
        maxAge: 3_600_000,
        enableXCacheHeaders: true,
      },
    },
  },
};
