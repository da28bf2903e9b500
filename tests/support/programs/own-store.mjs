const KEY = { id: 'key', organizationId: 'org', hash: 'of any key', expiresAt: null, revokedAt: null };

/**
 * An extension as a team writes it, in its own file: a store of one organization, whose tags are in the environment.
 *
 * @type {import('../../../src/composition/extensions/extension.js').Extension}
 */
export default {
  name: 'a store of our own',
  api({ bind, tokens, environment }) {
    if (!environment.OWN_TAGS) throw new Error('OWN_TAGS is missing: names with commas');
    const names = environment.OWN_TAGS.split(',');
    bind(tokens.tagReader).toConstantValue({
      list: async () =>
        names.map((name) => ({ id: name, websiteId: 'web', name, slug: name, color: '#336699' })),
    });
    bind(tokens.categoryReader).toConstantValue({ list: async () => [] });
    bind(tokens.blogReader).toConstantValue({
      list: async () => ({ total: 0, blogs: [] }),
      findById: async () => null,
      findBySlug: async () => null,
    });
    bind(tokens.keyTable).toConstantValue({ find: async () => ({ key: KEY, generation: 1 }) });
    bind(tokens.generationTable).toConstantValue({
      current: async () => 1,
      above: async (floor) => (floor < 1 ? [{ organizationId: 'org', generation: 1 }] : []),
      newest: async () => 1,
    });
    bind(tokens.healthCheck).toConstantValue({ name: 'ownStore', run: async () => {} });
    bind(tokens.lifecycle).toConstantValue({ stop: () => console.log('our store is closed') });
  },
};
