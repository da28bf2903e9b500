create trigger {{ name }} {{ moment }} on {{ table }} for each row begin
  declare noted bigint;
  declare exit handler for sqlexception begin
    declare continue handler for 1146, 1305, 1142, 1143, 1370 begin end;
    set noted = content_sync_note('everything', null);
  end;
  {{ statements }}
end
