import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import { realWorld, type World } from '../world.ts';
import { readingStatement } from './sql-statement.ts';

const Target = z.union([z.object({ url: z.string() }), z.object({ file: z.string() })]);

/** What the child process receives on its input. */
export const DatabaseRequest = z.object({
  target: Target,
  sql: z.string(),
  maxRows: z.number().int().positive(),
  maxBytes: z.number().int().positive(),
  timeoutMs: z.number().positive(),
});
export type DatabaseRequest = z.infer<typeof DatabaseRequest>;

/** The rows of a query, as text; null is NULL. */
export const Rows = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string().nullable())),
  isCut: z.boolean(),
});
export type Rows = z.infer<typeof Rows>;

/** What became of a query: its rows, a refusal (it would write, wait, or its role may), or an error of the database. */
export const DatabaseAnswer = z.union([
  z.object({ kind: z.literal('rows'), ...Rows.shape }),
  z.object({ kind: z.literal('refused'), reason: z.string() }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
]);
export type DatabaseAnswer = z.infer<typeof DatabaseAnswer>;

type Query = { target: z.infer<typeof Target>; sql: string; maxRows: number };

/** The longest a statement may take. */
const STATEMENT_MS = 10_000;
/** Starting the process and connecting come on top. */
const PROCESS_MS = STATEMENT_MS + 15_000;
const MAX_BYTES = 64 * 1024;
/** The text of a document of this size is longer by its quotes and escapes. */
const MAX_OUTPUT_BYTES = 8 * MAX_BYTES;
/** Its heap, in MB; what a database sends is bounded besides. */
const HEAP_MB = 192;

/**
 * Runs one query that only reads, in a process of its own: a result that fills its memory or a query that does not end
 * takes nothing else with it. The credentials are on its input, not in its arguments or its environment.
 */
export async function queryDatabase(
  { target, sql, maxRows }: Query,
  signal: AbortSignal,
  world: World = realWorld,
): Promise<DatabaseAnswer> {
  const statement = readingStatement(sql);
  if ('refused' in statement) return { kind: 'refused', reason: statement.refused };
  const request: DatabaseRequest = {
    target,
    sql: statement.sql,
    maxRows,
    maxBytes: MAX_BYTES,
    timeoutMs: STATEMENT_MS,
  };
  const { stdout, stderr, timedOut, code } = await run(
    [process.execPath, `--max-old-space-size=${HEAP_MB}`, '--no-warnings', databaseProgram()],
    { env: {}, input: JSON.stringify(request), timeoutMs: PROCESS_MS, maxOutputBytes: MAX_OUTPUT_BYTES, signal },
    world,
  );
  if (timedOut) return { kind: 'refused', reason: `The query took longer than ${STATEMENT_MS / 1_000} seconds` };
  const answer = DatabaseAnswer.safeParse(parseJson(stdout.toString('utf8')));
  if (answer.success) return withoutCredentials(answer.data, target);
  const reason = /heap out of memory/i.test(stderr) ? 'its result needs too much memory' : `it ended with ${code}`;
  return { kind: 'failed', reason: `The query did not complete: ${reason}` };
}

/** An error of a driver may quote what it was given. */
function withoutCredentials(answer: DatabaseAnswer, target: Query['target']): DatabaseAnswer {
  if (answer.kind === 'rows' || !('url' in target)) return answer;
  const { url } = target;
  const password = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  const secrets = [url, password].filter((text) => text !== '');
  return { ...answer, reason: secrets.reduce((text, secret) => text.replaceAll(secret, '***'), answer.reason) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // No answer: the exit of the process says why.
    return messageOf(error);
  }
}

/** The built program if there is one, else its source, which Node runs directly. */
function databaseProgram(): string {
  const built = fileURLToPath(new URL('./database.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('./database-program.ts', import.meta.url));
}
