import { createHash } from 'node:crypto';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { AppError, fromSystemError } from '../../errors.ts';
import { realWorld, type World } from '../../world.ts';

type ObjectType = 'commit' | 'tree';

const SHA1_HEX = 40;

/** Writes a loose object durably, as git does, without starting a process. */
export async function writeObject(
  objects: string,
  object: { type: ObjectType; content: Buffer; format: 'sha1' | 'sha256' },
  world: World = realWorld,
): Promise<string> {
  const { type, content, format } = object;
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = createHash(format).update(whole).digest('hex');
  const file = fileOf(objects, oid);
  if (await exists(file)) return oid;
  const temporary = join(objects, `tmp_obj_${world.token()}`);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeDurably(temporary, await promisify(deflate)(whole));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fromSystemError(error, `writing the ${type} ${oid}`);
  }
  return oid;
}

/** The hash algorithm of an id. */
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

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    // Then it is written, and a failure is reported there.
    () => false,
  );
}
