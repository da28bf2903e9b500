/** For each type, more rows than the check of a mapping considers few, with all rows that a mapping joins to them. */
export const MANY_ROWS = [
  `insert into wp_posts (ID, post_title, post_name, post_date, post_date_gmt,
    post_content, post_excerpt, to_ping, pinged, post_content_filtered)
    select 1000 + seq, seq, concat('many-', seq), now(), now(), '', '', '', '', '' from seq_1_to_3000`,
  `insert into wp_postmeta (post_id, meta_key, meta_value) select 1000 + seq, '_thumbnail_id', seq from seq_1_to_3000`,
  `insert into wp_terms (term_id, name, slug) select 1000 + seq, seq, seq from seq_1_to_3000`,
  `insert into wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description)
    select 1000 + seq, 1000 + seq, if(seq % 2, 'category', 'post_tag'), '' from seq_1_to_3000`,
  `insert into wp_term_relationships (object_id, term_taxonomy_id) select 1000 + seq, 1000 + seq from seq_1_to_3000`,
  'analyze table wp_posts, wp_postmeta, wp_terms, wp_term_taxonomy, wp_term_relationships',
];
