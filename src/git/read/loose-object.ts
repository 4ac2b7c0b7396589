import { createHash } from 'node:crypto';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { AppError, fromSystemError } from '../../errors.ts';
import { realWorld, type World } from '../../world.ts';
import { readPlainFile } from '../plain-file.ts';

type ObjectType = 'commit' | 'tree';

const compress = promisify(deflate);
const decompress = promisify(inflate);
const MAX_BYTES = 16 * 1024 * 1024;
const SHA1_HEX = 40;

/** Puts an object into an object folder as git does, on disk before its name is; a process for it would cost more than all the rest. */
export async function writeObject(
  objects: string,
  object: { type: ObjectType; content: Buffer; format: 'sha1' | 'sha256' },
  world: World = realWorld,
): Promise<string> {
  const { type, content, format } = object;
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = createHash(format).update(whole).digest('hex');
  const file = fileOf(objects, oid);
  if (await isThere(file)) return oid;
  const making = join(objects, `tmp_obj_${world.token()}`);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeDurably(making, await compress(whole));
    await rename(making, file);
  } catch (error) {
    await rm(making, { force: true });
    throw fromSystemError(error, `writing the ${type} ${oid}`);
  }
  return oid;
}

/** Reads an object that stands in a file of its own; undefined when it does not, or is not what its name says: then git is to be asked. */
export async function readObject(objects: string, oid: string, type: ObjectType): Promise<Buffer | undefined> {
  const packed = await readPlainFile(fileOf(objects, oid), MAX_BYTES);
  if (packed === undefined) return undefined;
  // What cannot be unpacked is git's to complain about.
  const whole = await decompress(packed, { maxOutputLength: MAX_BYTES }).catch(() => undefined);
  if (whole === undefined) return undefined;
  const start = whole.indexOf(0) + 1;
  const isRight = whole.toString('latin1', 0, start) === `${type} ${whole.length - start}\0`;
  return isRight && createHash(formatOf(oid)).update(whole).digest('hex') === oid ? whole.subarray(start) : undefined;
}

/** Which kind of id this is. */
export function formatOf(oid: string): 'sha1' | 'sha256' {
  return oid.length === SHA1_HEX ? 'sha1' : 'sha256';
}

async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o444);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fileOf(objects: string, oid: string): string {
  if (!/^[0-9a-f]{40,64}$/.test(oid)) throw new AppError('INTERNAL', `${oid} is not an object's id`, { oid });
  return join(objects, oid.slice(0, 2), oid.slice(2));
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    // Then it is written; that tells what is wrong, if anything is.
    () => false,
  );
}
