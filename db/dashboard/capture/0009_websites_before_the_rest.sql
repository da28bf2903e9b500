-- Websites are taken before all others but API keys: one that changes hands is hidden from its former owner, however much waits.
create index change_queue_of_websites_by_transaction on content_sync.change_queue (transaction_id, id) where kind = 'websites';
