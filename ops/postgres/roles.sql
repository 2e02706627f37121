-- The two roles of docs/stores.md and their database, made once by a superuser: with psql 15 or newer, or by the first
-- start of the official image, which runs what it finds in /docker-entrypoint-initdb.d. Passwords come from the
-- environment. throughline_owner   owns the tables and migrates them; the first migration makes roles, hence createrole
-- throughline_server  is what servers connect as: it calls functions, touches no table, and passes over no wall between
-- tenants
\getenv owner_password POSTGRES_OWNER_PASSWORD
\getenv server_password POSTGRES_SERVER_PASSWORD

create role throughline_owner login createrole password :'owner_password';
create role throughline_server login password :'server_password';

-- made before the migration that would make it, so that the server's role needs nothing after it; the owner may pass it
-- on, as that migration does
create role throughline_app nologin;
grant throughline_app to throughline_owner with admin option;
grant throughline_app to throughline_server;

create database throughline owner throughline_owner;
revoke connect, temporary on database throughline from public;
grant connect on database throughline to throughline_server;
