// @ts-expect-error: npm installs it when the bench runs.
const { factories } = require('@strapi/strapi');

const UID = 'api::article.article';

module.exports = factories.createCoreController(UID, (/** @type {any} */ { strapi }) => ({
  /** Without a key, Strapi neither filters by a relation nor shows one. */
  async list() {
    const fields = ['name', 'slug'];
    const data = await strapi.documents(UID).findMany({
      fields: ['title', 'slug', 'excerpt', 'publishedAt'],
      populate: { categories: { fields }, tags: { fields } },
      filters: { website: { documentId: 'website-1' } },
      sort: 'publishedAt:desc',
      status: 'published',
      limit: 20,
    });
    return { data };
  },
}));
