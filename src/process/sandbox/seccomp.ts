import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realWorld } from '../../world.ts';

/** The system calls of one architecture, and its number in Linux' audit. */
type Architecture = {
  audit: number;
  /** Calls whose second argument says what is requested. */
  requesting: readonly number[];
  socket: number;
  /** Calls that create namespaces, by their first argument. */
  creating: readonly number[];
  refused: readonly number[];
  first32Bit?: number;
};

/**
 * What no program of a task needs and what reaches past namespaces or is often a way into the kernel: its keyrings, BPF,
 * performance events, userfaultfd, io_uring, file handles, modules, kexec, clocks, swap, quotas, accounting, the kernel's
 * log. Mounts and namespaces stay, because the sandboxes of vendors need them; for root, whose user the kernel trusts in
 * many places, user namespaces do not.
 */
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000003e,
    requesting: [16, 72],
    socket: 41,
    creating: [56, 272],
    refused: [
      248, 249, 250, 321, 298, 323, 425, 426, 427, 304, 174, 175, 313, 176, 246, 320, 164, 227, 159, 305, 167, 168, 169,
      179, 443, 163, 103, 153, 134, 172, 173, 180, 212,
    ],
    // Calls of the x32 interface have numbers of their own.
    first32Bit: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    requesting: [29, 25],
    socket: 198,
    creating: [220, 97],
    refused: [
      217, 218, 219, 280, 241, 282, 425, 426, 427, 265, 105, 273, 106, 104, 294, 170, 112, 171, 266, 224, 225, 142, 60,
      443, 89, 116, 58, 42, 18,
    ],
  },
};
/** The same on every architecture; its arguments are in memory, where a filter cannot read them. */
const CLONE3 = 435;
const NEW_USER_NAMESPACE = 0x10000000;
/** Requests of `ioctl` that put input into a terminal, and of `fcntl` for a lease: whoever opens the file waits for its holder, also outside. */
const REFUSED_REQUESTS = [0x5412, 0x541c, 1024, 1040];

/** Families of sockets: Unix, IPv4, IPv6, netlink. Others, such as that to the host of a virtual machine, are in no namespace. */
const ALLOWED_FAMILIES = [1, 2, 10, 16];

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const NOT_IMPLEMENTED = 0x00050026;
const NO_SUCH_FAMILY = 0x00050061;
/** Offsets in the data of a call: its number, its architecture, the lower halves of its first arguments. */
const CALL = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

type Target = 'next' | 'allow' | 'refuse' | 'request' | 'family' | 'flags' | 'unknown';
type Instruction = { code: number; value: number; yes?: Target; no?: Target };

/** The filter for seccomp as bytes; undefined for processors that it does not know. */
function seccompFilter({ arch, isRoot }: { arch: NodeJS.Architecture; isRoot: boolean }): Buffer | undefined {
  const known = ARCHITECTURES[arch];
  if (known === undefined) return undefined;
  const { audit, requesting, socket, creating, refused, first32Bit } = known;
  const before: Instruction[] = [
    { code: LOAD, value: ARCHITECTURE },
    { code: IF_EQUAL, value: audit, yes: 'next', no: 'unknown' },
    { code: LOAD, value: CALL },
    ...(first32Bit === undefined ? [] : [{ code: IF_AT_LEAST, value: first32Bit, yes: 'refuse' } as const]),
    ...refused.map((value) => ({ code: IF_EQUAL, value, yes: 'refuse' }) as const),
    ...requesting.map((value) => ifCalled(value, 'request')),
    ifCalled(socket, 'family'),
    ...(isRoot ? [...creating.map((value) => ifCalled(value, 'flags')), ifCalled(CLONE3, 'unknown')] : []),
    { code: RETURN, value: ALLOW },
  ];
  const request: Instruction[] = [
    { code: LOAD, value: SECOND_ARGUMENT },
    ...REFUSED_REQUESTS.map((value) => ({ code: IF_EQUAL, value, yes: 'refuse' }) as const),
    { code: RETURN, value: ALLOW },
  ];
  const family: Instruction[] = [
    { code: LOAD, value: FIRST_ARGUMENT },
    ...ALLOWED_FAMILIES.map((value) => ({ code: IF_EQUAL, value, yes: 'allow' }) as const),
    { code: RETURN, value: NO_SUCH_FAMILY },
  ];
  const flags: Instruction[] = [
    { code: LOAD, value: FIRST_ARGUMENT },
    { code: IF_ANY_BIT, value: NEW_USER_NAMESPACE, yes: 'refuse' },
    { code: RETURN, value: ALLOW },
  ];
  const program: Instruction[] = [
    ...before,
    ...request,
    ...family,
    ...flags,
    { code: RETURN, value: NOT_PERMITTED },
    { code: RETURN, value: NOT_IMPLEMENTED },
  ];
  const targets = {
    next: undefined,
    request: before.length,
    family: before.length + request.length,
    flags: before.length + request.length + family.length,
    allow: program.length - 3,
    refuse: program.length - 2,
    unknown: program.length - 1,
  };
  return Buffer.concat(
    program.map(({ code, value, yes = 'next', no = 'next' }, index) => {
      const bytes = Buffer.alloc(8);
      const isJump = [IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT].includes(code);
      const jump = (to: Target) => Math.max(0, (targets[to] ?? index + 1) - index - 1);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(isJump ? jump(yes) : 0, 2);
      bytes.writeUInt8(isJump ? jump(no) : 0, 3);
      bytes.writeUInt32LE(value >>> 0, 4);
      return bytes;
    }),
  );
}

function ifCalled(value: number, yes: Target): Instruction {
  return { code: IF_EQUAL, value, yes };
}

/** The file with the filter in this folder, written where it is missing; undefined where there is no filter. */
export async function seccompFile(folder: string): Promise<string | undefined> {
  const filter = seccompFilter({ arch: process.arch, isRoot: process.getuid?.() === 0 });
  if (filter === undefined) return undefined;
  const file = join(folder, `seccomp-${createHash('sha256').update(filter).digest('hex').slice(0, 12)}.bpf`);
  if (existsSync(file)) return file;
  const written = `${file}.${realWorld.token()}`;
  await writeFile(written, filter, { mode: 0o600 });
  await rename(written, file);
  return file;
}
