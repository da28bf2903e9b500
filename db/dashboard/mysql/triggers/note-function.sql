create function content_sync_note(
    kind varchar(20) character set ascii, entity_key varchar(1000) character set utf8mb4 collate utf8mb4_bin
  ) returns tinyint deterministic modifies sql data sql security definer begin
    if entity_key is not null or kind = 'everything' then
      insert into content_sync_changes (id, kind, entity_key, at) values (uuid_short(), kind, entity_key, utc_timestamp(6));
    end if;
    return 1;
  end
