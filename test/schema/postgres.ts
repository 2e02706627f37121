import type { ClientBase } from 'pg'

/** Objects of the two schemas we own. Names are qualified because the session's search_path is empty. */
const OURS = `('context', 'memori')`

/** The owner is the role that migrated, so its name is not part of the schema. */
const roleName = (
  oid: string,
) => `case when ${oid} = 0 then 'public' when pg_get_userbyid(${oid}) = current_user then 'owner'
  else pg_get_userbyid(${oid}) end`

/** Grants to others than the owner. Grants of the owner differ by version: Postgres 17 adds MAINTAIN. */
const grantsOf = (acl: string, kind: string, owner: string, object: string) => `(
  select string_agg(line, E'\\n' order by line)
  from (
    select format('grant %s on %s to %s;', string_agg(lower(x.privilege_type), ', ' order by x.privilege_type), ${object},
      ${roleName('x.grantee')}) as line
    from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) x
    where x.grantee <> ${owner}
    group by x.grantee
  ) g)`

const ROLES = `
  select format('create role %I%s%s%s%s%s%s%s;', r.rolname, case when r.rolsuper then ' superuser' else '' end,
    case when r.rolinherit then '' else ' noinherit' end, case when r.rolcreaterole then ' createrole' else '' end,
    case when r.rolcreatedb then ' createdb' else '' end, case when r.rolcanlogin then ' login' else '' end,
    case when r.rolreplication then ' replication' else '' end, case when r.rolbypassrls then ' bypassrls' else '' end)
    || case when exists (
      select from pg_auth_members m where m.roleid = r.oid and pg_get_userbyid(m.member) = current_user
    ) then format(E'\\ngrant %I to owner;', r.rolname) else '' end as text
  from pg_roles r
  where r.rolname in ('throughline_app', 'throughline_functions', 'throughline_purge', 'throughline_reader')
  order by r.rolname`

const SCHEMAS = `
  select concat_ws(E'\\n', format('create schema %I authorization %s;', n.nspname, ${roleName('n.nspowner')}),
    ${grantsOf('n.nspacl', 'n', 'n.nspowner', `format('schema %I', n.nspname)`)}) as text
  from pg_namespace n
  where n.nspname in ${OURS}
  order by n.nspname`

const COLUMN = `concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
  case when a.attcollation <> 0 and a.attcollation <> y.typcollation
    then (select format('collate %I', l.collname) from pg_collation l where l.oid = a.attcollation) end,
  case when a.attnotnull then 'not null' end,
  case when a.attidentity <> '' then format('generated %s as identity', case a.attidentity when 'a' then 'always' else 'by default' end) end,
  case when a.attgenerated = 's' then format('generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
    when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid) end)`

const columnsOf = (relation: string) => `(
  select string_agg('  ' || ${COLUMN}, E',\\n' order by a.attnum)
  from pg_attribute a
  join pg_type y on y.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = ${relation} and a.attnum > 0 and not a.attisdropped)`

const TYPES = `
  select format(E'create type %s as (\\n%s\\n);', r.oid::regclass, ${columnsOf('r.oid')}) as text
  from pg_class r
  where r.relnamespace::regnamespace::text in ${OURS} and r.relkind = 'c'
  order by r.oid::regclass::text`

/** NOT NULL is shown with its column: Postgres 18 also lists it as a constraint. */
const CONSTRAINTS = `(
  select string_agg(format(E',\\n  constraint %I %s', c.conname, pg_get_constraintdef(c.oid)), '' order by c.contype desc, c.conname)
  from pg_constraint c
  where c.conrelid = r.oid and c.contype <> 'n')`

const TABLES = `
  select concat_ws(E'\\n',
    format(E'create table %s (\\n%s%s\\n)%s;', r.oid::regclass, ${columnsOf('r.oid')}, ${CONSTRAINTS},
      ' with (' || array_to_string(r.reloptions, ', ') || ')'),
    'alter table ' || r.oid::regclass || ' owner to ' || nullif(${roleName('r.relowner')}, 'owner') || ';',
    (select string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\\n' order by i.indexrelid::regclass::text)
      from pg_index i
      where i.indrelid = r.oid and not exists (select from pg_constraint c where c.conindid = i.indexrelid)),
    case when r.relrowsecurity then format('alter table %s enable row level security;', r.oid::regclass) end,
    case when r.relforcerowsecurity then format('alter table %s force row level security;', r.oid::regclass) end,
    (select string_agg(format('create policy %I on %s as %s for %s to %s using (%s)%s;', p.polname, r.oid::regclass,
        case when p.polpermissive then 'permissive' else 'restrictive' end,
        case p.polcmd when '*' then 'all' else p.polcmd::text end,
        (select string_agg(${roleName('o')}, ', ') from unnest(p.polroles) as o), pg_get_expr(p.polqual, p.polrelid),
        ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'), E'\\n' order by p.polname)
      from pg_policy p where p.polrelid = r.oid),
    (select string_agg(pg_get_triggerdef(g.oid) || ';', E'\\n' order by g.tgname)
      from pg_trigger g where g.tgrelid = r.oid and not g.tgisinternal),
    ${grantsOf('r.relacl', 'r', 'r.relowner', 'r.oid::regclass::text')},
    (select string_agg(${grantsOf('a.attacl', 'c', 'r.relowner', `format('%s (%I)', r.oid::regclass, a.attname)`)}, E'\\n' order by a.attnum)
      from pg_attribute a where a.attrelid = r.oid and a.attacl is not null),
    (select string_agg(format('comment on %s is %L;', case when c.objsubid = 0 then 'table ' || r.oid::regclass else
        format('column %s.%I', r.oid::regclass, (select attname from pg_attribute where attrelid = r.oid and attnum = c.objsubid)) end,
        c.description), E'\\n' order by c.objsubid)
      from pg_description c where c.classoid = 'pg_class'::regclass and c.objoid = r.oid)) as text
  from pg_class r
  where r.relnamespace::regnamespace::text in ${OURS} and r.relkind in ('r', 'p')
  order by r.oid::regclass::text`

/** Before version 16 the server writes the alias before each column even if there is only one table. */
const VIEW = `
  case when pg_get_viewdef(r.oid, true) ~ ' JOIN ' then pg_get_viewdef(r.oid, true)
    else regexp_replace(pg_get_viewdef(r.oid, true), '\\m[a-z]\\.', '', 'g') end`

const VIEWS = `
  select concat_ws(E'\\n',
    format(E'create view %s%s as\\n%s', r.oid::regclass, ' with (' || array_to_string(r.reloptions, ', ') || ')',
      ${VIEW}),
    'alter view ' || r.oid::regclass || ' owner to ' || nullif(${roleName('r.relowner')}, 'owner') || ';',
    ${grantsOf('r.relacl', 'r', 'r.relowner', 'r.oid::regclass::text')}) as text
  from pg_class r
  where r.relnamespace::regnamespace::text in ${OURS} and r.relkind = 'v'
  order by r.oid::regclass::text`

const FUNCTIONS = `
  select concat_ws(E'\\n', pg_get_functiondef(f.oid) || ';',
    'alter function ' || f.oid::regprocedure || ' owner to ' || nullif(${roleName('f.proowner')}, 'owner') || ';',
    ${grantsOf('f.proacl', 'f', 'f.proowner', `format('function %s', f.oid::regprocedure)`)},
    'comment: ' || obj_description(f.oid, 'pg_proc')) as text
  from pg_proc f
  where f.pronamespace::regnamespace::text in ${OURS}
  order by f.oid::regprocedure::text collate "C"`

/**
 * Everything a migration made, as readable SQL from the catalogs: roles, schemas, types, tables with their indexes,
 * policies, triggers and grants, views, functions. The same text on every supported version of Postgres.
 */
export async function dumpPostgres(client: ClientBase): Promise<string> {
  await client.query(`select set_config('search_path', '', false)`)
  const parts: string[] = []
  for (const statement of [ROLES, SCHEMAS, TYPES, TABLES, VIEWS, FUNCTIONS]) {
    const { rows } = await client.query<{ text: string }>(statement)
    parts.push(...rows.map(({ text }) => text))
  }
  return `${parts.map((part) => part.replace(/[ \t]+$/gm, '')).join('\n\n')}\n`
}
