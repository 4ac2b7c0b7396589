import type { Stats } from 'node:fs';
import { glob, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { run } from '../process/run.ts';
import type { LogSource } from '../schema/config/integrations.ts';
import { realWorld, type World } from '../world.ts';

/** The last lines of a log that contain a text, the newest last. */
export type LogLines = { lines: string[]; isCut: boolean };
type LogRequest = { contains?: string | undefined; maxLines: number };

const COMMAND_MS = 30_000;
/** What of each file, and of the output of a command, is searched: its end. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 20;
const MAX_LINE_CHARS = 2_000;
const MAX_CHARS = 64 * 1024;

/** Reads the end of a log: of the files of its globs, or of what its command prints. Throws if the command fails. */
export async function readLogs(
  source: LogSource,
  { request, env, signal }: { request: LogRequest; env: Record<string, string>; signal: AbortSignal },
  world: World = realWorld,
): Promise<LogLines> {
  const texts =
    'files' in source ? await endsOfFiles(source.files) : [await endOfOutput(source, { env, signal }, world)];
  return lastLines(
    texts.flatMap(({ name, text }) =>
      text.split(/\r?\n/).map((line) => (name === undefined ? line : `${name}: ${line}`)),
    ),
    request,
  );
}

type LogText = { name?: string; text: string };

/** The newest files of the globs, the newest last. What is no plain file, such as a FIFO, is left out. */
async function endsOfFiles(globs: readonly string[]): Promise<LogText[]> {
  const found = new Map<string, Stats>();
  for await (const path of glob([...globs])) {
    // A file that was rotated away between the two calls is not there.
    const entry = await stat(path).catch(() => undefined);
    if (entry?.isFile() === true) found.set(path, entry);
  }
  const newest = [...found].sort(([, a], [, b]) => a.mtimeMs - b.mtimeMs).slice(-MAX_FILES);
  const texts = await Promise.all(
    newest.map(async ([path]) => ({ name: basename(path), text: await endOfFile(path).catch(() => '') })),
  );
  const [only] = texts;
  return only !== undefined && texts.length === 1 ? [{ text: only.text }] : texts;
}

async function endOfFile(path: string): Promise<string> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const start = Math.max(0, size - SEARCHED_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  return withoutPart(buffer.subarray(0, bytesRead).toString('utf8'), start > 0);
}

async function endOfOutput(
  { command }: Extract<LogSource, { command: unknown }>,
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
  world: World,
): Promise<LogText> {
  let end = Buffer.alloc(0);
  let isCut = false;
  const onStdout = (chunk: Buffer) => {
    const all = Buffer.concat([end, chunk]);
    isCut ||= all.length > SEARCHED_BYTES;
    end = all.subarray(-SEARCHED_BYTES);
  };
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const options = { env, timeoutMs: COMMAND_MS, maxOutputBytes: 0, onStdout, signal };
  const { code, stderr, timedOut } = await run(argv, options, world);
  if (timedOut) throw new Error(`Its command took longer than ${COMMAND_MS / 1_000} seconds`);
  if (code !== 0) throw new Error(`Its command ended with ${code ?? 'a signal'}: ${stderr.trim().slice(-400)}`);
  return { text: withoutPart(end.toString('utf8'), isCut) };
}

/** Without the first line, if its beginning is missing. */
function withoutPart(text: string, isCut: boolean): string {
  return isCut ? text.slice(text.indexOf('\n') + 1) : text;
}

function lastLines(lines: readonly string[], { contains, maxLines }: LogRequest): LogLines {
  const search = contains?.toLowerCase();
  const found = lines.filter((line) => line !== '' && (search === undefined || line.toLowerCase().includes(search)));
  const kept: string[] = [];
  let chars = 0;
  for (const line of found.slice(-maxLines).reverse()) {
    const shown = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
    chars += shown.length;
    if (chars > MAX_CHARS) break;
    kept.unshift(shown);
  }
  return { lines: kept, isCut: kept.length < found.length };
}
