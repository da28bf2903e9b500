/** All text is stored as it arrives. Other encodings lack many characters, and SQL_ASCII does not say which characters it has. */
export const NEEDED_ENCODING = 'UTF8';

export const CHANGE_ENCODING =
  "a database keeps the encoding that it was made with: make another one (create database … encoding 'UTF8' template template0), bring the " +
  'content over with pg_dump and psql, and name it in the address. From SQL_ASCII, tell pg_dump with --encoding what the text really is';
