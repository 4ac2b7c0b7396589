import type { ClientBase } from 'pg';
import { type HostOrder, type OrderLimits, parseHostText } from '../../fleet.ts';

/** The channel for notifications of reports to the leader. */
export const REPORTS_CHANNEL = 'manyhands_reports';

/** The channel for notifications of orders and commands to a host; the payload is its name. */
export const ORDERS_CHANNEL = 'manyhands_orders';

/** A report about an order; sequences count from 1 within it. */
export type Report = { id: string; sequence: number; body: unknown };

/** The process that has, or is to have, an order. */
export type OrderHolder = { id: string; host: string; instance: string };

type Accepted = Omit<HostOrder, 'body'> & { body: Buffer };

/** Accepts orders that were sent to this process and not removed, at most that many of each kind, the oldest first, each at most once. */
export async function acceptOrders(
  client: ClientBase,
  { instance, most }: { instance: string; most: OrderLimits },
): Promise<HostOrder[]> {
  const oldest = (kind: HostOrder['kind'], limit: string) =>
    `SELECT id FROM manyhands.orders WHERE instance = $1 AND kind = '${kind}' AND state = 'sent'
       ORDER BY sequence LIMIT ${limit} FOR UPDATE`;
  const { rows } = await client.query<Accepted>({
    name: 'accept-orders',
    text: `WITH attempts AS (${oldest('attempt', '$2')}), checks AS (${oldest('check', '$3')})
     UPDATE manyhands.orders SET state = 'accepted'
     WHERE state = 'sent' AND id IN (SELECT id FROM attempts UNION ALL SELECT id FROM checks)
     RETURNING id, kind, host, instance, body`,
    values: [instance, most.attempt, most.check],
  });
  return rows.map((row) => ({ ...row, body: row.body.toString() }));
}

/** The orders that a process has accepted and does not know of: their acceptance was lost with a connection. */
export async function readUnknown(
  client: ClientBase,
  instance: string,
  received: readonly string[],
): Promise<HostOrder[]> {
  const { rows } = await client.query<Accepted>(
    `SELECT id, kind, host, instance, body FROM manyhands.orders
     WHERE instance = $1 AND state = 'accepted' AND id <> ALL ($2)`,
    [instance, received],
  );
  return rows.map((row) => ({ ...row, body: row.body.toString() }));
}

/** Deletes an order that its host has not accepted; the database decides which of the two happens. */
export async function withdrawOrder(client: ClientBase, { id, epoch }: { id: string; epoch: number }): Promise<void> {
  await client.query(
    `DELETE FROM manyhands.orders WHERE id = $1 AND state = 'sent'
       AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $2)`,
    [id, epoch],
  );
}

/** Deletes the orders that draining hosts have not accepted, and returns them. */
export async function withdrawFromDraining(client: ClientBase, epoch: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `DELETE FROM manyhands.orders USING manyhands.hosts
     WHERE orders.instance = hosts.instance AND hosts.draining AND state = 'sent'
       AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $1)
     RETURNING orders.id`,
    [epoch],
  );
  return rows.map(({ id }) => id);
}

/** The ids of the orders that a process has, also of those that it performed and the leader has not removed yet. */
export async function readHeld(client: ClientBase, instance: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM manyhands.orders WHERE instance = $1', [
    instance,
  ]);
  return rows.map(({ id }) => id);
}

/** Which processes have these orders. */
export async function readHolders(client: ClientBase, ids: readonly string[]): Promise<OrderHolder[]> {
  const { rows } = await client.query<OrderHolder>(
    'SELECT id, host, instance FROM manyhands.orders WHERE id = ANY ($1)',
    [ids],
  );
  return rows;
}

/**
 * Adds reports of a process that still has its lease; false if it has not, and then none is added. A repeated one is
 * added once, and one about an order that this process has not, or that is finished, never.
 */
export async function insertReports(
  client: ClientBase,
  { host, instance }: { host: string; instance: string },
  reports: readonly Report[],
): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>({
    name: 'insert-reports',
    text: `WITH holder AS (SELECT name FROM manyhands.hosts WHERE name = $1 AND instance = $2 FOR SHARE),
     added AS (
       INSERT INTO manyhands.reports (id, sequence, host, instance, body)
       SELECT report.id, report.sequence, $1, $2, report.body
       FROM holder, unnest($3::text[], $4::bigint[], $5::bytea[]) AS report (id, sequence, body)
       JOIN manyhands.orders ON orders.id = report.id AND orders.instance = $2
       ON CONFLICT (id, sequence) DO NOTHING
     )
     SELECT EXISTS (SELECT 1 FROM holder) AS valid, pg_notify($6, $1)`,
    values: [
      host,
      instance,
      reports.map(({ id }) => id),
      reports.map(({ sequence }) => sequence),
      reports.map(({ body }) => Buffer.from(JSON.stringify(body))),
      REPORTS_CHANNEL,
    ],
  });
  return rows[0]?.valid === true;
}

/** The reports about orders, each after the sequence that was read before, in their sequences; the last one may exceed the bytes. */
export async function readReports(
  client: ClientBase,
  after: ReadonlyMap<string, number>,
  most: { reports: number; bytes: number },
): Promise<(Report & { bytes: number })[]> {
  const { rows } = await client.query<{ id: string; sequence: number; body: Buffer }>({
    name: 'read-reports',
    text: `SELECT id, sequence, body FROM (
       SELECT first.*, sum(length(body)) OVER (ORDER BY id, sequence) - length(body) AS bytes_before FROM (
         SELECT id, reports.sequence, body
         FROM unnest($1::text[], $2::bigint[]) AS known (id, sequence) JOIN manyhands.reports USING (id)
         WHERE reports.sequence > known.sequence ORDER BY id, reports.sequence LIMIT $3
       ) AS first
     ) AS found WHERE bytes_before < $4 ORDER BY id, sequence`,
    values: [[...after.keys()], [...after.values()], most.reports, most.bytes],
  });
  return rows.map(({ id, sequence, body }) => {
    return { id, sequence, body: parseHostText(body.toString()), bytes: body.length };
  });
}

/** Removes the reports of orders, each up to the one whose consequences are committed. */
export async function removeReports(
  client: ClientBase,
  recorded: ReadonlyMap<string, number>,
  epoch: number,
): Promise<void> {
  await client.query(
    `DELETE FROM manyhands.reports USING unnest($1::text[], $2::bigint[]) AS known (id, sequence)
     WHERE reports.id = known.id AND reports.sequence <= known.sequence
       AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $3)`,
    [[...recorded.keys()], [...recorded.values()], epoch],
  );
}

/** Removes an order with everything about it, in one statement: a leader may be killed at any time. */
export async function removeOrder(client: ClientBase, { id, epoch }: { id: string; epoch: number }): Promise<void> {
  await client.query(
    `WITH term AS (SELECT 1 FROM manyhands.installation WHERE epoch = $2),
     reports AS (DELETE FROM manyhands.reports USING term WHERE id = $1),
     commands AS (DELETE FROM manyhands.commands USING term WHERE id = $1)
     DELETE FROM manyhands.orders USING term WHERE id = $1`,
    [id, epoch],
  );
}

/** Removes reports whose order was removed while they were added: nobody reads them. */
export async function removeForgottenReports(client: ClientBase, epoch: number): Promise<void> {
  await client.query(
    `DELETE FROM manyhands.reports
     WHERE NOT EXISTS (SELECT 1 FROM manyhands.orders WHERE orders.id = reports.id)
       AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $1)`,
    [epoch],
  );
}

/** The command to a process whose order is no longer needed. */
function stopCommand(reason: string): string {
  return JSON.stringify({ kind: 'stop', force: true, reason });
}

/** Removes an order with its reports, and tells the process that has it to stop. */
export async function cancelOrder(
  client: ClientBase,
  { id, reason, epoch }: { id: string; reason: string; epoch: number },
): Promise<void> {
  await cancelWhere(client, `id = $1 AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $2)`, [
    id,
    epoch,
    stopCommand(reason),
  ]);
}

/** Removes the checks that an earlier leader ordered, which are run again and never adopted, and stops them. */
export async function cancelChecksBefore(client: ClientBase, epoch: number): Promise<void> {
  const isBefore = `kind = $1 AND epoch < $2 AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $2)`;
  await cancelWhere(client, isBefore, ['check', epoch, stopCommand('Another server leads')]);
}

/** Removes commands to processes that have lost their lease. */
export async function removeLostCommands(client: ClientBase, epoch: number): Promise<void> {
  await client.query(
    `DELETE FROM manyhands.commands
     WHERE NOT EXISTS (SELECT 1 FROM manyhands.hosts WHERE hosts.instance = commands.instance)
       AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $1)`,
    [epoch],
  );
}

async function cancelWhere(client: ClientBase, condition: string, values: unknown[]): Promise<void> {
  await client.query(
    `WITH removed AS (DELETE FROM manyhands.orders WHERE ${condition} RETURNING id, host, instance),
     forgotten AS (DELETE FROM manyhands.reports USING removed WHERE reports.id = removed.id),
     added AS (
       INSERT INTO manyhands.commands (id, host, instance, body) SELECT id, host, instance, $3 FROM removed RETURNING host
     )
     SELECT pg_notify($4, host) FROM added`,
    [...values, ORDERS_CHANNEL],
  );
}

/** Adds a command for the process that has the order. */
export async function insertCommand(
  client: ClientBase,
  { id, body, epoch }: { id: string; body: unknown; epoch: number },
): Promise<void> {
  await client.query(
    `WITH added AS (
       INSERT INTO manyhands.commands (id, host, instance, body)
       SELECT id, host, instance, $2 FROM manyhands.orders
       WHERE id = $1 AND EXISTS (SELECT 1 FROM manyhands.installation WHERE epoch = $3)
       RETURNING host
     )
     SELECT pg_notify($4, host) FROM added`,
    [id, JSON.stringify(body), epoch, ORDERS_CHANNEL],
  );
}

/** The commands for a process after one of them. */
export async function readCommands(
  client: ClientBase,
  { instance, after }: { instance: string; after: number },
): Promise<{ sequence: number; id: string; body: unknown }[]> {
  const { rows } = await client.query<{ sequence: number; id: string; body: string }>(
    'SELECT sequence, id, body FROM manyhands.commands WHERE instance = $1 AND sequence > $2 ORDER BY sequence',
    [instance, after],
  );
  return rows.map(({ sequence, id, body }) => ({ sequence, id, body: JSON.parse(body) }));
}

/** The orders that are not finished, by id. */
export async function readOrders(client: ClientBase): Promise<(OrderHolder & Pick<HostOrder, 'kind'>)[]> {
  const { rows } = await client.query<OrderHolder & Pick<HostOrder, 'kind'>>(
    'SELECT id, kind, host, instance FROM manyhands.orders ORDER BY id',
  );
  return rows;
}
