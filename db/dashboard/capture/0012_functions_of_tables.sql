-- Each captured table has a function of its own from now on, which `npm run migrate` makes from the mapping of the dashboard, and puts its
-- triggers in place itself. content_sync.capture() goes when no trigger calls it any more.
drop function content_sync.ensure_capture(text, oid);
drop function content_sync.captured_relations();
drop table content_sync.captured_tables;
