-- A page is walked to from the beginning of its block, past blogs of hidden websites. With the website in the index no row is visited for that:
-- where rows are wide, PostgreSQL 18 would rather read the other index from end to end, and sort a million entries, than visit some hundred rows.
create index blogs_newest_first on content_read.blogs (organization_id, published_at desc, id desc) include (website_id);
drop index content_read.blogs_newest;
