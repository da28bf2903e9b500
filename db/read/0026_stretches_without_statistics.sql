-- Where a table has no statistics, as while it is filled for the first time, PostgreSQL takes an organization for a handful of blogs: each stretch read all of them and sorted them,
-- to take the first thousands. An index has them in their order.
alter function content_read.recount(text, integer) set enable_bitmapscan = off;
alter function content_read.recount(text, integer) set enable_seqscan = off;
alter function content_read.count_more_blogs(text, integer) set enable_bitmapscan = off;
alter function content_read.count_more_blogs(text, integer) set enable_seqscan = off;
