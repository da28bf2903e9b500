-- Websites that no longer belong to an organization, though rows of theirs are still with it: none of these are shown any more. A website
-- that changes hands, or is deleted, takes as long to be gone as it has rows; that it is gone shows at once.
create table content_read.hidden_websites (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  primary key (organization_id, website_id)
);

-- Who has rows of a website.
create index blog_shelves_by_website on content_read.blog_shelves (website, organization_id) where term = '';
create index categories_of_website on content_read.categories (website_id, organization_id);
create index tags_of_website on content_read.tags (website_id, organization_id);
