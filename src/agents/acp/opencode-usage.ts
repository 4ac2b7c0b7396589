import { lstatSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { run } from '../../process/run.ts';
import type { Usage } from '../../schema/usage.ts';
import { parseJsonObject } from '../json-object.ts';
import { sumUsage } from '../sum-usage.ts';

const Count = z.number().int().nonnegative().catch(0);
const Step = z.object({
  cost: z.number().nonnegative(),
  tokens: z.object({
    input: Count,
    output: Count,
    reasoning: Count.default(0),
    cache: z.object({ read: Count, write: Count }),
  }),
});
const Rows = z.array(z.object({ step: z.string(), model: z.unknown() }));

/** Steps of a session and of the sessions of its subagents. */
const STEPS = `
  WITH RECURSIVE sessions(id) AS (
    SELECT ? UNION SELECT session.id FROM session JOIN sessions ON session.parent_id = sessions.id
  )
  SELECT part.data AS step, json_extract(message.data, '$.modelID') AS model
  FROM part JOIN sessions ON part.session_id = sessions.id JOIN message ON message.id = part.message_id
  WHERE part.time_created >= ? AND json_extract(part.data, '$.type') = 'step-finish'`;
const TABLES = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name IN ('session', 'part', 'message')";
/** A table that computes what it contains. */
const COMPUTED = /^\s*create\s+virtual\b|\bgenerated\b|\bas\s*\(/i;
const BUSY_MS = 500;
/** What SQLite opens besides the database. */
const BESIDE = ['', '-journal', '-wal', '-shm'];
/** A program of its own starts in a fraction of a second. */
const LIVE_MS = 5_000;
const LIVE_PAUSE_MS = 2_000;
const MOST_OUTPUT_BYTES = 32 * 1024 * 1024;
const LIVE = `
const { DatabaseSync } = require('node:sqlite');
const [file, id, since, steps] = process.argv.slice(1);
const database = new DatabaseSync(file, { readOnly: true, timeout: ${BUSY_MS} });
process.stdout.write(JSON.stringify(database.prepare(steps).all(id, Number(since))));`;

/**
 * The usage that Opencode stores with each completed step in its database. The agent can write that file: while it runs,
 * it could put there a pipe, or a view that never ends, so the file is then read by a process with a time limit, and the
 * usage is that of its last answer.
 */
export function opencodeUsage(
  file: string,
  session: { id: string; since: number },
): (when: 'running' | 'ended') => Usage {
  let live: Usage = { kind: 'none' };
  let isReading = false;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async () => {
    const command = [process.execPath, '-e', LIVE, file, session.id, String(session.since), STEPS];
    const options = { env: {}, timeoutMs: LIVE_MS, maxOutputBytes: MOST_OUTPUT_BYTES };
    const { code, stdout } = await run(command, options);
    if (code === 0) live = usageOf(Rows.parse(JSON.parse(stdout.toString('utf8'))));
  };
  return (when) => {
    if (when === 'ended') return readEnded(file, session);
    if (isReading || performance.now() - readAt < LIVE_PAUSE_MS) return live;
    isReading = true;
    readAt = performance.now();
    void read()
      // A database that is missing, locked or of another version has no record; the reported usage applies.
      .catch(() => {})
      .finally(() => {
        isReading = false;
      });
    return live;
  };
}

function readEnded(file: string, { id, since }: { id: string; since: number }): Usage {
  try {
    if (!BESIDE.every((name) => lstatSync(`${file}${name}`, { throwIfNoEntry: false })?.isFile() ?? name !== ''))
      return { kind: 'none' };
    using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    const tables = database.prepare(TABLES).all();
    if (tables.length !== 3 || tables.some(({ sql }) => COMPUTED.test(String(sql)))) return { kind: 'none' };
    return usageOf(Rows.parse(database.prepare(STEPS).all(id, since)));
  } catch {
    // As above.
    return { kind: 'none' };
  }
}

function usageOf(rows: z.infer<typeof Rows>): Usage {
  return rows.reduce<Usage>((sum, { step, model }) => sumUsage(sum, stepUsage(step, model)), { kind: 'none' });
}

function stepUsage(step: string, model: unknown): Usage {
  const { data } = Step.safeParse(parseJsonObject(step));
  if (data === undefined) return { kind: 'unknown' };
  const { input, output, reasoning, cache } = data.tokens;
  return {
    kind: 'known',
    costUsd: data.cost,
    inputTokens: input + cache.write,
    outputTokens: output + reasoning,
    cachedTokens: cache.read,
    turns: 1,
    ...(typeof model === 'string' ? { model } : {}),
  };
}
