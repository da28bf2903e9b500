const KEY = { id: 'key', organizationId: 'org', hash: 'of any key', expiresAt: null, revokedAt: null };

/**
 * An extension as a team writes it, in its own file: a store of one organization, whose tags are in the environment.
 *
 * @type {import('../../../src/composition/extensions/extension.js').Extension}
 */
export default {
  name: 'a store of our own',
  api(bind, environment) {
    if (!environment.OWN_TAGS) throw new Error('OWN_TAGS is missing: names with commas');
    const names = environment.OWN_TAGS.split(',');
    bind('tagReader', () => ({
      list: async () =>
        names.map((name) => ({ id: name, websiteId: 'web', name, slug: name, color: '#336699' })),
    }));
    bind('categoryReader', () => ({ list: async () => [] }));
    bind('blogReader', () => ({
      list: async () => ({ total: 0, blogs: [] }),
      findById: async () => null,
      findBySlug: async () => null,
    }));
    bind('keyTable', () => ({ find: async () => ({ key: KEY, generation: 1 }) }));
    bind('generationTable', () => ({
      read: async ({ above }) => ({
        server: 'one',
        isStandby: false,
        syncAgeMs: 0,
        newest: 1,
        raised: above < 1 ? [{ organizationId: 'org', generation: 1 }] : [],
        current: new Map([['org', 1]]),
      }),
    }));
    return {
      healthChecks: [{ name: 'ownStore', run: async () => {} }],
      stop: () => console.log('our store is closed'),
    };
  },
};
