import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realWorld } from '../../world.ts';

/** The system calls of one architecture: its number in Linux' audit, those that are refused, and `ioctl`. */
type Architecture = { audit: number; ioctl: number; refused: readonly number[]; first32Bit?: number };

/**
 * What no program of a task needs and what reaches past namespaces or is often a way into the kernel: its keyrings, BPF,
 * performance events, userfaultfd, io_uring, file handles, modules, kexec, clocks, swap, quotas, accounting, the kernel's
 * log. Mounts and namespaces stay, because the sandboxes of vendors need them.
 */
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000003e,
    ioctl: 16,
    refused: [
      248, 249, 250, 321, 298, 323, 425, 426, 427, 304, 174, 175, 313, 176, 246, 320, 164, 227, 159, 305, 167, 168, 169,
      179, 443, 163, 103, 153, 134, 172, 173, 180, 212,
    ],
    // Calls of the x32 interface have numbers of their own.
    first32Bit: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    ioctl: 29,
    refused: [
      217, 218, 219, 280, 241, 282, 425, 426, 427, 265, 105, 273, 106, 104, 294, 170, 112, 171, 266, 224, 225, 142, 60,
      443, 89, 116, 58, 42, 18,
    ],
  },
};
/** Requests of `ioctl` that put input into a terminal. */
const REFUSED_REQUESTS = [0x5412, 0x541c];

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const NOT_IMPLEMENTED = 0x00050026;
/** Offsets in the data of a call: its number, its architecture, the lower half of its second argument. */
const CALL = 0;
const ARCHITECTURE = 4;
const SECOND_ARGUMENT = 24;

type Instruction = { code: number; value: number; yes?: 'next' | 'refuse' | 'request'; no?: 'next' | 'unknown' };

/** The filter for seccomp as bytes; undefined for processors that it does not know. */
function seccompFilter(architecture: NodeJS.Architecture = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const { audit, ioctl, refused, first32Bit } = known;
  const before: Instruction[] = [
    { code: LOAD, value: ARCHITECTURE },
    { code: IF_EQUAL, value: audit, yes: 'next', no: 'unknown' },
    { code: LOAD, value: CALL },
    ...(first32Bit === undefined ? [] : [{ code: IF_AT_LEAST, value: first32Bit, yes: 'refuse' } as const]),
    ...refused.map((value) => ({ code: IF_EQUAL, value, yes: 'refuse' }) as const),
    { code: IF_EQUAL, value: ioctl, yes: 'request' },
    { code: RETURN, value: ALLOW },
  ];
  const request: Instruction[] = [
    { code: LOAD, value: SECOND_ARGUMENT },
    ...REFUSED_REQUESTS.map((value) => ({ code: IF_EQUAL, value, yes: 'refuse' }) as const),
    { code: RETURN, value: ALLOW },
  ];
  const program: Instruction[] = [
    ...before,
    ...request,
    { code: RETURN, value: NOT_PERMITTED },
    { code: RETURN, value: NOT_IMPLEMENTED },
  ];
  const targets = { next: undefined, request: before.length, refuse: program.length - 2, unknown: program.length - 1 };
  return Buffer.concat(
    program.map(({ code, value, yes = 'next', no = 'next' }, index) => {
      const bytes = Buffer.alloc(8);
      const jump = (to: keyof typeof targets) => Math.max(0, (targets[to] ?? index + 1) - index - 1);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(code === IF_EQUAL || code === IF_AT_LEAST ? jump(yes) : 0, 2);
      bytes.writeUInt8(code === IF_EQUAL || code === IF_AT_LEAST ? jump(no) : 0, 3);
      bytes.writeUInt32LE(value >>> 0, 4);
      return bytes;
    }),
  );
}

/** The file with the filter in this folder, written where it is missing; undefined where there is no filter. */
export async function seccompFile(folder: string): Promise<string | undefined> {
  const filter = seccompFilter();
  if (filter === undefined) return undefined;
  const file = join(folder, `seccomp-${createHash('sha256').update(filter).digest('hex').slice(0, 12)}.bpf`);
  if (existsSync(file)) return file;
  const written = `${file}.${realWorld.token()}`;
  await writeFile(written, filter, { mode: 0o600 });
  await rename(written, file);
  return file;
}
