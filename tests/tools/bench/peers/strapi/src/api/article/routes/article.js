// @ts-expect-error: npm installs it when the bench runs.
const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreRouter('api::article.article');
