<?php
// Calls functions of WordPress, [["name", [arguments]], …] as JSON, as its first user. Prints what they return, as JSON.
$calls = json_decode($argv[1], true);
$database = parse_url(getenv('DATABASE_URL'));
define('DB_HOST', $database['host'] . ':' . $database['port']);
define('DB_USER', $database['user']);
define('DB_PASSWORD', $database['pass']);
define('DB_NAME', substr($database['path'], 1));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('ABSPATH', getenv('WORDPRESS') . '/');
define('WP_CONTENT_DIR', getenv('CONTENT'));
define('WP_HOME', 'https://example.com');
define('WP_SITEURL', 'https://example.com');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
$is_first = $calls[0][0] === 'wp_install';
if ($is_first) define('WP_INSTALLING', true);
require ABSPATH . 'wp-settings.php';
if ($is_first) require ABSPATH . 'wp-admin/includes/upgrade.php';
else wp_set_current_user(1);

// A post as consumers should see it, by the functions that themes use; null if visitors of the site do not see it.
function shown_post($id) {
  $post = get_post($id);
  if (!$post || $post->post_type !== 'post' || $post->post_status !== 'publish' || $post->post_password !== '') return null;
  $picture = get_post_thumbnail_id($post);
  return [
    'id' => (string) $post->ID,
    'title' => wp_specialchars_decode($post->post_title, ENT_QUOTES),
    'slug' => $post->post_name,
    'excerpt' => $post->post_excerpt ?: null,
    'metaTitle' => get_post_meta($id, '_yoast_wpseo_title', true) ?: null,
    'metaDescription' => get_post_meta($id, '_yoast_wpseo_metadesc', true) ?: null,
    'featuredImageUrl' => wp_get_attachment_url($picture) ?: null,
    'featuredImageAlt' => get_post_meta($picture, '_wp_attachment_image_alt', true) ?: null,
    'contentHtml' => $post->post_content,
    'publishedAt' => get_post_time('Y-m-d\TH:i:s.000\Z', true, $post),
    'categories' => array_map('shown_link', get_the_terms($post, 'category') ?: []),
    'tags' => array_map('shown_link', get_the_terms($post, 'post_tag') ?: []),
  ];
}

function shown_link($term) {
  return ['id' => (string) $term->term_id, 'name' => wp_specialchars_decode($term->name, ENT_QUOTES), 'slug' => $term->slug];
}

function shown_categories() {
  $shown = fn($term) => shown_link($term) + [
    'parentId' => $term->parent ? (string) $term->parent : null,
    'description' => $term->description,
  ];
  return array_map($shown, get_terms(['taxonomy' => 'category', 'hide_empty' => false]));
}

function shown_tags() {
  return array_map('shown_link', get_terms(['taxonomy' => 'post_tag', 'hide_empty' => false]));
}

// What WordPress stores for a user who may not write any HTML.
function insert_as_author($post) {
  kses_init_filters();
  return wp_insert_post($post, true);
}

$returned = [];
foreach ($calls as [$function, $arguments]) {
  $result = $function(...$arguments);
  if (is_wp_error($result)) {
    fwrite(STDERR, "$function: " . $result->get_error_message());
    exit(1);
  }
  $returned[] = $result;
}
echo json_encode($returned);
