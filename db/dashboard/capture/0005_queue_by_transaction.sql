-- Deleted rows stay in the indexes for as long as any snapshot is older, that of a dump or a report: a look by id alone steps over all of
-- them. By transaction a look can leave out what it has seen before, and misses nothing that commits late. See ADR 8.

-- Rows that are here already get the id of this transaction, without being written anew.
alter table content_sync.change_queue add column transaction_id xid8 not null default pg_current_xact_id();

create index change_queue_by_transaction on content_sync.change_queue (transaction_id, id);
-- Keys of API keys are taken before all others.
create index change_queue_of_api_keys_by_transaction on content_sync.change_queue (transaction_id, id) where kind = 'api_keys';
drop index content_sync.change_queue_of_api_keys;
