import { createHash } from 'node:crypto';
import { type Tenant, tenantsNumbered } from '../../support/dashboards/dashboard.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';

/** Inserts organizations with one website, key and published blog each. */
export async function insertMysqlTenants(url: string, count: number): Promise<Tenant[]> {
  const tenants = tenantsNumbered(count);
  const database = openMysqlDashboard(url);
  const websiteOf = ({ organizationId }: Tenant) => `web of ${organizationId}`;
  try {
    await database('organizations').insert(tenants.map(({ organizationId: id }) => ({ id, name: id })));
    await database('websites').insert(
      tenants.map((tenant) => ({ id: websiteOf(tenant), organization_id: tenant.organizationId, name: '' })),
    );
    await database('api_keys').insert(
      tenants.map(({ keyId, organizationId, key }) => ({
        id: keyId,
        organization_id: organizationId,
        key_hash: createHash('sha256').update(key).digest('hex'),
      })),
    );
    await database('blogs').insert(
      tenants.map((tenant) => ({
        id: tenant.blogId,
        website_id: websiteOf(tenant),
        title: 'First title',
        slug: tenant.blogId,
        status: 'published',
        published_at: database.fn.now(3),
      })),
    );
  } finally {
    await database.destroy();
  }
  return tenants;
}
