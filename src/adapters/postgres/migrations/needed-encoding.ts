/** Others lack characters, and SQL_ASCII does not say which ones it has. */
export const NEEDED_ENCODING = 'UTF8';

export const CHANGE_ENCODING =
  "the encoding of a database cannot be changed: create another one (create database … encoding 'UTF8' template template0), copy the " +
  'content with pg_dump and psql, and set the URL to it. From SQL_ASCII, pass the real encoding of the text to pg_dump with --encoding';
