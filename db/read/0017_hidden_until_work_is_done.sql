-- The work that rewrites whatever shows a term of the website: the terms themselves may have moved long before, and blogs of its former owner
-- still list them. Null: there is none to wait for.
alter table content_read.hidden_websites add until_work bigint;
