/**
 * What the role of the connection, or a role that it can take on, may do besides reading: one row for the first thing
 * found, none if it only reads. Temporary tables do not count: they end with the connection.
 */
export const ROLE_RIGHTS = `
WITH roles AS (
  SELECT oid, rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication
  FROM pg_catalog.pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')
),
relations AS (
  SELECT c.oid, c.relkind, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%'
),
rights AS (
  SELECT 1 AS rank, rolname || ' is a superuser, or may create roles or databases, or replicate' AS "right"
  FROM roles WHERE rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication
  UNION ALL
  SELECT 2, 'it is a member of ' || rolname FROM roles
  WHERE rolname IN ('pg_write_all_data', 'pg_write_server_files', 'pg_read_server_files', 'pg_execute_server_program',
    'pg_signal_backend', 'pg_checkpoint', 'pg_maintain', 'pg_create_subscription', 'pg_use_reserved_connections')
  UNION ALL
  SELECT 3, roles.rolname || ' may change ' || relations.name FROM roles, relations
  WHERE relkind <> 'S' AND (
    has_table_privilege(roles.oid, relations.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    OR has_any_column_privilege(roles.oid, relations.oid, 'INSERT, UPDATE'))
  UNION ALL
  SELECT 4, roles.rolname || ' may advance ' || relations.name FROM roles, relations
  WHERE relkind = 'S' AND has_sequence_privilege(roles.oid, relations.oid, 'USAGE, UPDATE')
  UNION ALL
  SELECT 5, roles.rolname || ' may create in the schema ' || quote_ident(nspname) FROM roles, pg_catalog.pg_namespace n
  WHERE nspname NOT LIKE 'pg\\_t%' AND has_schema_privilege(roles.oid, n.oid, 'CREATE')
  UNION ALL
  SELECT 6, roles.rolname || ' may create schemas in the database' FROM roles
  WHERE has_database_privilege(roles.oid, current_database(), 'CREATE')
  UNION ALL
  SELECT 7, roles.rolname || ' may call ' || quote_ident(proname) || ', which acts outside the database'
  FROM roles, pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  WHERE (NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c') OR l.lanname = 'c' AND p.proname LIKE 'dblink%')
    AND has_function_privilege(roles.oid, p.oid, 'EXECUTE')
)
SELECT "right" FROM rights ORDER BY rank LIMIT 1`;
