import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import { realWorld, type World } from '../../world.ts';

type ObjectType = 'commit' | 'tree';

const SHA1_HEX = 40;

const flush = promisify(fsync);
/** So much is compressed in less than a millisecond. */
const SMALL_BYTES = 32 * 1024;

/**
 * Writes a loose object durably, as git does, without starting a process. Only the flush is waited for: the other calls
 * take microseconds, and each turn of the event loop takes longer while agents are started.
 */
export async function writeObject(
  objects: string,
  object: { type: ObjectType; content: Buffer; format: 'sha1' | 'sha256' },
  world: World = realWorld,
): Promise<string> {
  const { type, content, format } = object;
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = createHash(format).update(whole).digest('hex');
  const file = fileOf(objects, oid);
  if (existsSync(file)) return oid;
  const temporary = join(objects, `tmp_obj_${world.token()}`);
  try {
    const bytes = whole.length > SMALL_BYTES ? await promisify(deflate)(whole) : deflateSync(whole);
    await writeDurably(temporary, bytes);
    moveInto(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fromSystemError(error, `writing the ${type} ${oid}`);
  }
  return oid;
}

/** The hash algorithm of an id. */
export function formatOf(oid: string): 'sha1' | 'sha256' {
  return oid.length === SHA1_HEX ? 'sha1' : 'sha256';
}

async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const descriptor = openSync(file, 'wx', 0o444);
  try {
    writeFileSync(descriptor, bytes);
    await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The folder of an object is there for all but the first ones. */
function moveInto(temporary: string, file: string): void {
  try {
    renameSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    renameSync(temporary, file);
  }
}

function fileOf(objects: string, oid: string): string {
  if (!/^[0-9a-f]{40,64}$/.test(oid)) throw new AppError('INTERNAL', `${oid} is not an object's id`, { oid });
  return join(objects, oid.slice(0, 2), oid.slice(2));
}
