import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';

/** Migrations of one database run one after another under this advisory lock: "MHND". */
const MIGRATION_LOCK = 0x4d484e44;

/**
 * Numbered from 1 by position; a released one is never edited.
 * A commit has a number; what it changed has this number, so that a read model can be brought up to date. Texts that may
 * contain NUL, which PostgreSQL does not store in `text`, are bytes in UTF-8. JSON is kept as the text whose hash is in the chain.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE manyhands.installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    commit_number bigint NOT NULL DEFAULT 0,
    transcript_id bigint NOT NULL DEFAULT 0,
    reading_since bigint NOT NULL DEFAULT 0,
    epoch bigint NOT NULL DEFAULT 0,
    server text,
    holder text,
    expires_at timestamptz NOT NULL DEFAULT '-infinity'
  );
  INSERT INTO manyhands.installation DEFAULT VALUES;

  CREATE TABLE manyhands.terms (
    epoch bigint PRIMARY KEY,
    token uuid NOT NULL DEFAULT gen_random_uuid(),
    holder text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    after_commit bigint NOT NULL
  );

  CREATE TABLE manyhands.events (
    position bigint PRIMARY KEY,
    commit_number bigint NOT NULL,
    stream text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL,
    data text NOT NULL,
    origin text,
    hash text NOT NULL,
    UNIQUE (stream, version)
  );
  CREATE INDEX events_by_commit ON manyhands.events (commit_number);

  CREATE TABLE manyhands.blobs (
    hash text PRIMARY KEY,
    commit_number bigint NOT NULL,
    text bytea NOT NULL
  );
  CREATE INDEX blobs_by_commit ON manyhands.blobs (commit_number);

  CREATE TABLE manyhands.attempts (
    attempt text COLLATE "C" PRIMARY KEY,
    commit_number bigint NOT NULL,
    usage text,
    cursors text NOT NULL
  );
  CREATE INDEX attempts_by_commit ON manyhands.attempts (commit_number);

  CREATE TABLE manyhands.transcript (
    id bigint PRIMARY KEY,
    attempt text COLLATE "C" NOT NULL,
    file text NOT NULL,
    generation bigint NOT NULL,
    start bigint NOT NULL,
    part bigint NOT NULL,
    at bigint NOT NULL,
    kind text NOT NULL,
    text bytea NOT NULL,
    data text
  );
  CREATE INDEX transcript_by_attempt ON manyhands.transcript (attempt);

  CREATE TABLE manyhands.removals (
    commit_number bigint NOT NULL,
    run text NOT NULL,
    PRIMARY KEY (commit_number, run)
  );
  `,
  `
  ALTER TABLE manyhands.installation
    ADD COLUMN moving_from text, ADD COLUMN moved_from text, ADD COLUMN moved_to text;
  `,
  `
  CREATE TABLE manyhands.hosts (
    name text COLLATE "C" PRIMARY KEY,
    instance uuid,
    registration text NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
  );

  CREATE TABLE manyhands.orders (
    id text COLLATE "C" PRIMARY KEY,
    host text COLLATE "C" NOT NULL,
    instance uuid NOT NULL,
    body bytea NOT NULL,
    state text NOT NULL DEFAULT 'sent' CHECK (state IN ('sent', 'accepted', 'revoked'))
  );

  CREATE TABLE manyhands.reports (
    id text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    host text COLLATE "C" NOT NULL,
    instance uuid NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (id, sequence)
  );

  CREATE TABLE manyhands.commands (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    host text COLLATE "C" NOT NULL,
    instance uuid NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX commands_by_instance ON manyhands.commands (instance, sequence);
  `,
  `
  CREATE FUNCTION manyhands.notify_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('manyhands_hosts', '');
      RETURN NULL;
    END
  $$;
  CREATE TRIGGER hosts_added_or_removed AFTER INSERT OR DELETE ON manyhands.hosts
    FOR EACH ROW EXECUTE FUNCTION manyhands.notify_hosts();
  CREATE TRIGGER hosts_changed AFTER UPDATE ON manyhands.hosts FOR EACH ROW
    WHEN ((old.instance, old.draining, old.registration) IS DISTINCT FROM (new.instance, new.draining, new.registration))
    EXECUTE FUNCTION manyhands.notify_hosts();
  `,
  `
  CREATE TABLE manyhands.host_roles (
    role name PRIMARY KEY,
    host text COLLATE "C" NOT NULL UNIQUE
  );
  CREATE FUNCTION manyhands.own_host() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
    AS 'SELECT host FROM manyhands.host_roles WHERE role = session_user';

  ALTER TABLE manyhands.hosts ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_host ON manyhands.hosts USING (name = manyhands.own_host());
  ALTER TABLE manyhands.orders ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_host ON manyhands.orders USING (host = manyhands.own_host());
  ALTER TABLE manyhands.commands ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_host ON manyhands.commands USING (host = manyhands.own_host());
  ALTER TABLE manyhands.reports ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_host ON manyhands.reports USING (host = manyhands.own_host())
    WITH CHECK (host = manyhands.own_host() AND EXISTS (
      SELECT 1 FROM manyhands.orders WHERE orders.id = reports.id AND orders.instance = reports.instance));
  `,
  `
  ALTER TABLE manyhands.installation ADD COLUMN release integer NOT NULL DEFAULT 1;
  CREATE FUNCTION manyhands.leader_release() RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog AS 'SELECT release FROM manyhands.installation';
  `,
  `
  ALTER TABLE manyhands.orders
    ADD COLUMN sequence bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN kind text NOT NULL DEFAULT 'attempt' CHECK (kind IN ('attempt', 'check')),
    ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
  CREATE INDEX orders_to_accept ON manyhands.orders (instance, kind, sequence) WHERE state = 'sent';
  DROP SCHEMA IF EXISTS manyhands_orders CASCADE;
  `,
];

/** Whether an embedded database is being, or was, moved to the installation, or the installation to one; by its server. */
type MoveState = {
  commitNumber: number;
  movingFrom: string | null;
  movedFrom: string | null;
  movedTo: string | null;
};

/** Creates or migrates the tables, in one transaction; refuses those of a newer version with DATA_NEWER. */
export async function migrateSchema(client: ClientBase): Promise<void> {
  if ((await readVersion(client)) === MIGRATIONS.length) return;
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  const version = await readVersion(client);
  if (version > MIGRATIONS.length) {
    await client.query('ROLLBACK');
    const message = `The PostgreSQL database has version ${version}; this program supports versions up to ${MIGRATIONS.length}`;
    throw new AppError('DATA_NEWER', message, { version, known: MIGRATIONS.length });
  }
  if (version === 0) {
    await client.query('CREATE SCHEMA IF NOT EXISTS manyhands');
    await client.query('CREATE TABLE manyhands.schema_version (version integer NOT NULL)');
    await client.query('INSERT INTO manyhands.schema_version VALUES (0)');
  }
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
  await client.query('UPDATE manyhands.schema_version SET version = $1', [MIGRATIONS.length]);
  await client.query('COMMIT');
}

/** How far a move of the database is. */
export async function readMove(client: ClientBase): Promise<MoveState> {
  const { rows } = await client.query<MoveState>(
    `SELECT commit_number AS "commitNumber", moving_from AS "movingFrom", moved_from AS "movedFrom", moved_to AS "movedTo"
     FROM manyhands.installation`,
  );
  const [row] = rows;
  if (row !== undefined) return row;
  throw new AppError('DATA_DAMAGED', 'The PostgreSQL database has no row about its installation');
}

/** Refuses an installation that is not complete yet, or was moved away. */
export async function requireInUse(client: ClientBase): Promise<void> {
  const { movingFrom, movedTo } = await readMove(client);
  if (movingFrom !== null)
    throw new AppError(
      'DATABASE_REFUSED',
      `The PostgreSQL database is being filled from the data directory ${movingFrom}; complete it there by the same command: manyhands store move`,
    );
  if (movedTo !== null)
    throw new AppError('DATABASE_REFUSED', `The PostgreSQL database was moved to the data directory ${movedTo}`);
}

/** The version of the tables; 0 if there are none. */
async function readVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass('manyhands.schema_version') IS NOT NULL AS present");
  if (rows[0]?.present !== true) return 0;
  const found = await client.query<{ version: number }>('SELECT version FROM manyhands.schema_version');
  return found.rows[0]?.version ?? 0;
}
