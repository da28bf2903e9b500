import type { Category, CategoryReader } from 'blog-content-read-api/ports';
import type { Session } from './database.js';
import { isHiddenTerm, isShown } from './shown-rows.js';

export class MariadbCategoryReader implements CategoryReader {
  constructor(private readonly database: Session) {}

  list(organizationId: string, websiteId: string | null): Promise<readonly Category[]> {
    return this.database.query(
      `select id, website_id as websiteId, name, slug, description, sort_order as sortOrder,
         case when not exists (
           select 1 from categories as parent where parent.id = categories.parent_id and ${isHiddenTerm('parent')}
         ) then parent_id end as parentId
       from categories where ${isShown(websiteId)}`,
      { organizationId, websiteId },
    );
  }
}
