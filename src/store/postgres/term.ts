import type { ClientBase } from 'pg';
import { AppError } from '../../errors.ts';
import { HOSTS_RELEASE } from '../fleet.ts';

/** Who leads: `server` is the data directory, whose lock proves that an earlier process of it has ended; `holder` is for people. */
export type Candidate = { server: string; holder: string };

/** A period in which one server writes; `commitNumber` is the last commit before it. */
export type Term = { epoch: number; commitNumber: number };

/** The recorded leader; `isAlive` if its lease has not expired by the clock of the database. */
export type Leader = {
  holder: string;
  server: string;
  epoch: number;
  isAlive: boolean;
  since: Date;
  expiresInMs: number;
};

/** The lease, in seconds of the database's clock; renewed three times in it. */
const LEASE_SECONDS = 15;
export const RENEW_MS = 5_000;

/** After so long without a renewal a leader can no longer be sure that it leads when its agents have ended: they get 5 s. */
export const DOUBT_MS = 10_000;

/** By this name of its connection a leader sees that another server stands by. */
export const STANDING_BY = 'manyhands stands by';

/** The channel for notifications of terms that were ended. */
export const TERMS_CHANNEL = 'manyhands_terms';

/**
 * Begins a term if nobody leads: the lease has expired, or it belongs to the same server, whose lock the caller holds.
 * Every later write of an earlier term is refused, because each one names its epoch. Undefined if another server leads.
 */
export async function beginTerm(client: ClientBase, { server, holder }: Candidate): Promise<Term | undefined> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ epoch: number; commit_number: number }>(
    `UPDATE manyhands.installation
     SET epoch = epoch + 1, server = $1, holder = $2, release = $4, expires_at = clock_timestamp() + make_interval(secs => $3)
     WHERE (server = $1 OR expires_at <= clock_timestamp())
       AND coalesce(moving_from, $1) = $1 AND coalesce(moved_to, $1) = $1
     RETURNING epoch, commit_number`,
    [server, holder, LEASE_SECONDS, HOSTS_RELEASE],
  );
  const [row] = rows;
  if (row !== undefined)
    await client.query('INSERT INTO manyhands.terms (epoch, holder, after_commit) VALUES ($1, $2, $3)', [
      row.epoch,
      holder,
      row.commit_number,
    ]);
  await client.query('COMMIT');
  return row === undefined ? undefined : { epoch: row.epoch, commitNumber: row.commit_number };
}

/** A renewed lease; `isStoodBy`: another server waits for its end. */
type Renewal = { isStoodBy: boolean };

/** Extends the lease; undefined if another term has begun. */
export async function renewTerm(client: ClientBase, epoch: number): Promise<Renewal | undefined> {
  const { rows } = await client.query<Renewal>(
    `UPDATE manyhands.installation SET expires_at = clock_timestamp() + make_interval(secs => $2) WHERE epoch = $1
     RETURNING EXISTS (
       SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $3
     ) AS "isStoodBy"`,
    [epoch, LEASE_SECONDS, STANDING_BY],
  );
  return rows[0];
}

/** Ends the lease at once, so that another server need not wait for it. */
export async function endTerm(client: ClientBase, epoch: number): Promise<void> {
  await client.query(
    `UPDATE manyhands.installation SET expires_at = '-infinity', server = NULL WHERE epoch = $1
     RETURNING pg_notify($2, '')`,
    [epoch, TERMS_CHANNEL],
  );
}

/** The leader as recorded; undefined if there never was one, or it ended its term. */
export async function readLeader(client: ClientBase): Promise<Leader | undefined> {
  const { rows } = await client.query<{
    holder: string;
    server: string;
    epoch: number;
    alive: boolean;
    began_at: Date;
    left_ms: number;
  }>(
    `SELECT installation.holder, server, epoch, expires_at > clock_timestamp() AS alive, began_at,
       (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left_ms
     FROM manyhands.installation JOIN manyhands.terms USING (epoch) WHERE server IS NOT NULL`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { holder, server, epoch, alive, began_at, left_ms } = row;
  return { holder, server, epoch, isAlive: alive, since: began_at, expiresInMs: Math.round(left_ms) };
}

/** The error for a write while another server leads. */
export function notLeader(leader: Leader | undefined): AppError {
  const who = leader === undefined ? 'Another server' : `The server ${leader.holder}`;
  return new AppError('NOT_LEADER', `${who} leads this installation, and only it writes`, {
    holder: leader?.holder ?? 'another server',
  });
}
