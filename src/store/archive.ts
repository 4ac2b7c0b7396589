import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AppError, fromSystemError, messageOf, unreadableText } from '../errors.ts';
import { RunRecord } from '../schema/keeping.ts';
import { crashpoint, type World } from '../world.ts';
import { packTar, type TarEntry, unpackTar } from './tar.ts';

/** Writes a run with its report to a tar file atomically, and verifies it by reading it back. */
export async function writeArchive(
  file: string,
  { record, report }: { record: RunRecord; report: string },
  world: World,
): Promise<number> {
  const temporary = `${file}.making-${world.token()}`;
  const bytes = await promisify(gzip)(packTar(entriesOf(record, report), world.now() / 1000));
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await removeUnfinished(file);
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    crashpoint('archive.made');
    await rename(temporary, file);
  } catch (error) {
    throw fromSystemError(error, `writing the archive ${file}`);
  } finally {
    await rm(temporary, { force: true });
  }
  await requireSame(file, record);
  return bytes.length;
}

/** Removes what a killed engine left while it wrote the same archive. */
async function removeUnfinished(file: string): Promise<void> {
  const folder = dirname(file);
  const unfinished = (await readdir(folder)).filter((name) => name.startsWith(`${basename(file)}.making-`));
  for (const name of unfinished) await rm(join(folder, name), { force: true });
}

/** The run in an archive; a damaged one is refused. */
export async function readArchive(file: string): Promise<RunRecord> {
  const packed = await readFile(file).catch((error: unknown) => {
    throw new AppError('INPUT_INVALID', `The archive ${file} ${unreadableText(error)}`, { file });
  });
  try {
    return recordOf(unpackTar(await promisify(gunzip)(packed)));
  } catch (error) {
    throw new AppError('DATA_DAMAGED', `The archive ${file} cannot be read: ${messageOf(error)}`, { file });
  }
}

/** Throws if an archive does not contain exactly this run. */
export async function requireSame(file: string, record: RunRecord): Promise<void> {
  if (hashOf(await readArchive(file)) === hashOf(record)) return;
  throw new AppError('DATA_DAMAGED', `The archive ${file} does not contain what was written to it`, { file });
}

function entriesOf({ run, events, attempts, texts }: RunRecord, report: string): TarEntry[] {
  const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const entry = (name: string, text: string) => ({ name: `${run}/${name}`, bytes: Buffer.from(text) });
  return [
    entry('report.md', report),
    entry('run.json', `${JSON.stringify({ format: 1, run })}\n`),
    entry('events.jsonl', lines(events)),
    ...attempts.map(({ rows, ...head }) => entry(`attempts/${head.attempt}.jsonl`, lines([head, ...rows]))),
    ...Object.entries(texts).map(([hash, text]) => entry(`texts/${hash}`, text)),
  ];
}

function recordOf(entries: readonly TarEntry[]): RunRecord {
  const files = new Map(entries.map(({ name, bytes }) => [name.slice(name.indexOf('/') + 1), bytes.toString('utf8')]));
  const parsed = (name: string): unknown[] =>
    (files.get(name) ?? '').split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
  const names = [...files.keys()];
  const attempts = names
    .filter((name) => name.startsWith('attempts/'))
    .map((name) => {
      const [head, ...rows] = parsed(name);
      return Object.assign({ rows }, head);
    });
  const texts = names
    .filter((name) => name.startsWith('texts/'))
    .map((name) => [name.slice('texts/'.length), files.get(name)]);
  const record = RunRecord.parse(
    Object.assign(
      { events: parsed('events.jsonl'), attempts, texts: Object.fromEntries(texts) },
      parsed('run.json')[0],
    ),
  );
  for (const [hash, text] of Object.entries(record.texts)) {
    if (sha256(text) !== hash) throw new Error('a text in it was changed');
  }
  return record;
}

function hashOf(record: RunRecord): string {
  return sha256(JSON.stringify(RunRecord.parse(record)));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
