-- Initializes the PostgreSQL of docker-compose.yml: two databases, each with an owner that migrates the tables, and a role for each program,
-- which gets its permissions from `migrate --with-grants`. The passwords are public, so keep the port on loopback.

create role dashboard login password 'dashboard';
create database dashboard owner dashboard;
create role content login password 'content';
create database content owner content;
create role content_sync_worker login password 'content_sync_worker';
create role content_api login password 'content_api';

revoke connect, temporary on database dashboard, content from public;
grant connect on database dashboard to content_sync_worker;
grant connect on database content to content_sync_worker, content_api;
