// @ts-expect-error: npm installs it when the bench runs.
const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreService('api::article.article');
