-- Creates the two roles of docs/stores.md and their database. A superuser runs it once, with psql 15 or newer; the
-- official image runs it on its first start from /docker-entrypoint-initdb.d. Passwords come from the environment.
--
-- throughline_owner   owns the tables and migrates them; the migration creates roles, so it needs createrole
-- throughline_server  servers connect as it: it calls functions, reads no table, and cannot bypass row level security
\getenv owner_password POSTGRES_OWNER_PASSWORD
\getenv server_password POSTGRES_SERVER_PASSWORD

create role throughline_owner login createrole password :'owner_password';
create role throughline_server login password :'server_password';

-- Created here rather than by the migration, so that the server role needs no step afterwards. The owner may grant it.
create role throughline_app nologin;
grant throughline_app to throughline_owner with admin option;
grant throughline_app to throughline_server;

create database throughline owner throughline_owner;
revoke connect, temporary on database throughline from public;
grant connect on database throughline to throughline_server;
