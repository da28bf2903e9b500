/** The list without a check of the key, which costs Strapi more than the answer. */
module.exports = {
  routes: [
    {
      method: 'GET',
      path: '/public-articles',
      handler: 'api::article.article.list',
      config: { auth: false },
    },
  ],
};
