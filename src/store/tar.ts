import { AppError } from '../errors.ts';

/** A file in an archive. */
export type TarEntry = { name: string; bytes: Buffer };

const BLOCK = 512;
/** Offsets in a header of the ustar format, POSIX.1-1988. */
const FIELDS = { name: 0, mode: 100, size: 124, time: 136, sum: 148, type: 156, magic: 257 } as const;
const LONGEST_NAME = 99;

/** The bytes of a tar archive: plain files, not readable by other users. */
export function packTar(entries: readonly TarEntry[], atSeconds: number): Buffer {
  const parts = entries.flatMap(({ name, bytes }) => [
    header(name, bytes.length, atSeconds),
    bytes,
    padding(bytes.length),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** The files of such an archive; a truncated or changed one is refused. */
export function unpackTar(tar: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; ; ) {
    const head = tar.subarray(at, at + BLOCK);
    if (head.length < BLOCK) throw damagedArchive('it is truncated');
    if (head.every((byte) => byte === 0)) return entries;
    if (octal(head, FIELDS.sum, 8) !== checksum(head)) throw damagedArchive('a header does not match its checksum');
    const size = octal(head, FIELDS.size, 12);
    const bytes = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (bytes.length !== size) throw damagedArchive('a file in it is truncated');
    const name = head.subarray(FIELDS.name, FIELDS.mode);
    entries.push({ name: name.subarray(0, name.indexOf(0)).toString('utf8'), bytes });
    at += BLOCK + size + padding(size).length;
  }
}

function header(name: string, size: number, atSeconds: number): Buffer {
  if (Buffer.byteLength(name) > LONGEST_NAME)
    throw new AppError('INTERNAL', `The name ${name} is too long for an archive`);
  const head = Buffer.alloc(BLOCK);
  head.write(name, FIELDS.name);
  head.write('0000600\0' + '0000000\0' + '0000000\0', FIELDS.mode);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, FIELDS.size);
  head.write(`${Math.floor(atSeconds).toString(8).padStart(11, '0')}\0`, FIELDS.time);
  head.write('0', FIELDS.type);
  head.write('ustar\0' + '00', FIELDS.magic);
  head.write(`${checksum(head).toString(8).padStart(6, '0')}\0 `, FIELDS.sum);
  return head;
}

/** The sum of a header's bytes, with its own field counted as spaces. */
function checksum(head: Buffer): number {
  return head.reduce((sum, byte, index) => sum + (index >= FIELDS.sum && index < FIELDS.type ? 32 : byte), 0);
}

function octal(head: Buffer, from: number, length: number): number {
  const value = Number.parseInt(
    head
      .subarray(from, from + length)
      .toString('latin1')
      .replaceAll('\0', ''),
    8,
  );
  if (!Number.isSafeInteger(value) || value < 0) throw damagedArchive('a header has an invalid number');
  return value;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function damagedArchive(reason: string): AppError {
  return new AppError('DATA_DAMAGED', `The archive is damaged: ${reason}`);
}
