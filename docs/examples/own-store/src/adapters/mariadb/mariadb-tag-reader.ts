import type { Tag, TagReader } from 'blog-content-read-api/ports';
import type { Session } from './database.js';
import { isShown } from './shown-rows.js';

export class MariadbTagReader implements TagReader {
  constructor(private readonly database: Session) {}

  list(organizationId: string, websiteId: string | null): Promise<readonly Tag[]> {
    return this.database.query(
      `select id, website_id as websiteId, name, slug, color from tags where ${isShown(websiteId)}`,
      { organizationId, websiteId },
    );
  }
}
