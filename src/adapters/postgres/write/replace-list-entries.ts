import { TITLES } from '../read/read-table.js';

const TITLE_COLUMNS = Object.entries(TITLES.columns).map(([column, [type]]) => `${column} ${type}`);
const ENTRY = 'organization_id, term, website_id, published_at, id';

/**
 * What these blogs must have, and what these ids have. Each id is looked up by itself: without
 * statistics, PostgreSQL would read the whole table.
 */
const DUE_AND_HELD_ENTRIES = `
  due as (
    select organization_id, term, website_id, published_at, id
    from json_to_recordset(:titles::json) as title (${TITLE_COLUMNS.join(', ')}) cross join lateral unnest(terms || ''::text) as term
  ), held as materialized (
    select entry.* from unnest(:ids::text[]) as given (id) cross join lateral (
      select ctid as place, ${ENTRY} from content_read.list_entries where id = given.id offset 0) as entry
  )`;

/** By the rows of `changed`, in order, as every writer of many rows. */
const CHANGE_TOTALS = `
  insert into content_read.list_totals as present (organization_id, term, website, blogs)
  select organization_id, term, website, sum(change)
  from changed cross join lateral (values (''), ('=' || website_id)) as list (website)
  group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
  on conflict (organization_id, term, website) do update set blogs = present.blogs + excluded.blogs`;

/** Makes the lists contain exactly these blogs, and returns those whose entries changed. */
export const REPLACE_LIST_ENTRIES = `
  with ${DUE_AND_HELD_ENTRIES}, deleted as (
    delete from content_read.list_entries where ctid = any(array(
      select place from held where (${ENTRY}) not in (select * from due)))
    returning ${ENTRY}
  ), added as (
    insert into content_read.list_entries (${ENTRY})
    select ${ENTRY} from due except select ${ENTRY} from held
    returning ${ENTRY}
  ), changed as (
    select *, 1 as change from added union all select *, -1 from deleted
  ), totals as (${CHANGE_TOTALS})
  select distinct organization_id as "organizationId", id, null as "websiteId" from changed`;
