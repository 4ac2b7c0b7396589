import { SERVER_OPTIONS } from './process/memory/server-options.ts';

// An import of Node's own modules makes Node load what their rarest exports need.
const { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { basename, dirname, join } = process.getBuiltinModule('node:path');
const { fileURLToPath } = process.getBuiltinModule('node:url');
const { Script } = process.getBuiltinModule('node:vm');

/** Put here by the build: V8 recognises a changed source only by its length. */
declare const BUILD_ID: string;

type Module = { exports: unknown };
type ModuleBody = (exports: unknown, require: (name: string) => unknown, module: Module, moduleUrl: string) => void;
/** What is kept of a file: its size, and the processor time of the process that kept it; 0 if none did. */
type CacheEntry = { bytes: number; afterMs: number };
/** A file that was run, and where its compiled code is kept. */
type Compiled = { script: InstanceType<typeof Script>; keptAt: string; kept: CacheEntry };

/** Commands that are called often; each keeps the functions that it ran, and no others. */
const OFTEN = [
  ...['do', 'job', 'run', 'plan', 'bulk', 'resume', 'retry', 'send', 'land', 'check'],
  ...['ls', 'show', 'logs', 'report', 'wait', 'config', 'serve', 'doctor'],
];
/** Modules of Node that take milliseconds to load, and that most commands do not use. */
const LOADED_WHEN_USED = [
  ...['node:crypto', 'node:zlib', 'node:net', 'node:http', 'node:https', 'node:worker_threads', 'node:readline'],
  ...[
    'node:sqlite',
    'node:child_process',
    'node:stream/consumers',
    'node:v8',
    'node:fs/promises',
    'node:timers/promises',
  ],
];
/** How the names of files begin that are loaded when one of their exports is used. */
const DEFERRED = './chunk-deferred-';
/** Behind the compiled code: the processor time of the process that kept it, and the length of the code. */
const TRAILER_BYTES = 8;
/** A process that worked this much longer ran functions that are not kept yet. */
const GROWTH = 1.5;
/**
 * One start in so many looks whether it compiled functions that are not kept, which costs as much as reading them: a
 * process that worked for long can have kept others than most starts of its command run. It is chosen by its process id;
 * those of starts in a row are often as far apart from each other, which is rarely a multiple of a prime number.
 */
const COMPARED_STARTS = 17;
/** So much larger is what is worth keeping. */
const LARGER = 1.01;
/** Nothing is kept yet. */
const NOTHING: CacheEntry = { bytes: 0, afterMs: 0 };
/** After that V8 may have dropped the functions that a start needs. */
const LONGEST_MS = 5_000;

const own = fileURLToPath(import.meta.url);
const folder = dirname(own);
const program = basename(own, '.js');
/** What the URLs of all files of a build begin with; their names need no encoding. */
const folderUrl = import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1);
const kept = join(folder, '.compiled', `${BUILD_ID}-${process.version}-${process.arch}`, startName());
const modules = new Map<string, Module>();
const later = new Map<string, object>();
const compiled: Compiled[] = [];
let requireInstalled: NodeJS.Require | undefined;

// V8 rejects compiled code that was kept with other options: those of a server are set before anything is loaded.
if (startName() === 'serve') SERVER_OPTIONS.forEach(process.getBuiltinModule('node:v8').setFlagsFromString);
process.on('exit', keepCompiled);
load(`./${program}.cjs`);

function startName(): string {
  const [, , command = ''] = process.argv;
  if (program !== 'main') return program;
  return OFTEN.includes(command) ? command : 'other';
}

/** Runs a file of this build once, with the compiled functions that an earlier process kept. */
function load(name: string): unknown {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module: Module = { exports: {} };
  modules.set(name, module);
  const path = join(folder, name);
  const keptAt = join(kept, `${basename(name)}.bin`);
  const { cachedData, afterMs } = readKept(keptAt);
  const options = cachedData === undefined ? { filename: path } : { filename: path, cachedData };
  // The files of a build are ASCII, and one function each: a copy of their text would cost a collection of garbage.
  const script = new Script(readFileSync(path, 'latin1'), options);
  const isUsed = cachedData !== undefined && script.cachedDataRejected !== true;
  compiled.push({ script, keptAt, kept: isUsed ? { bytes: cachedData.length, afterMs } : NOTHING });
  const body = script.runInThisContext() as ModuleBody; // the build makes it so
  body(module.exports, requireFor, module, `${folderUrl}${basename(name)}`);
  return module.exports;
}

function requireFor(name: string): unknown {
  if (name.startsWith(DEFERRED)) return deferred(name);
  if (name.startsWith('./')) return load(name);
  if (LOADED_WHEN_USED.includes(name)) return loadedWhenUsed(name);
  const ofNode: unknown = process.getBuiltinModule(name);
  if (ofNode !== undefined) return ofNode;
  requireInstalled ??= process.getBuiltinModule('node:module').createRequire(import.meta.url);
  return requireInstalled(name);
}

/** A file whose exports are there when one of them is first used; afterwards using them costs no more than those of others. */
function deferred(name: string): object {
  const known = later.get(name);
  if (known !== undefined) return known;
  const get = (_: object, key: PropertyKey): unknown => {
    const exports = load(name) as object; // the build makes it so
    Object.setPrototypeOf(file, exports);
    return Reflect.get(exports, key);
  };
  const file: object = Object.create(new Proxy({}, { get }));
  later.set(name, file);
  return file;
}

/** A module of Node that is loaded when one of its exports is used; bundled code names the export at each use. */
function loadedWhenUsed(name: string): object {
  const known = later.get(name);
  if (known !== undefined) return known;
  const real = (): object => process.getBuiltinModule(name) ?? {};
  const proxy = new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(real(), key),
      has: (_, key) => Reflect.has(real(), key),
      ownKeys: () => Reflect.ownKeys(real()),
      getOwnPropertyDescriptor: (_, key) => {
        const found = Reflect.getOwnPropertyDescriptor(real(), key);
        return found === undefined ? undefined : { ...found, configurable: true };
      },
    },
  );
  later.set(name, proxy);
  return proxy;
}

function readKept(path: string): { cachedData?: Buffer; afterMs: number } {
  try {
    const bytes = readFileSync(path);
    const length = bytes.length - TRAILER_BYTES;
    if (length < 0 || bytes.readUInt32LE(length + 4) !== length) return NOTHING;
    return { cachedData: bytes.subarray(0, length), afterMs: bytes.readUInt32LE(length) };
  } catch {
    // Nothing is kept yet, or it cannot be read: the source is compiled.
    return NOTHING;
  }
}

/** Keeps the functions that this process ran, for the next start of the same command. */
function keepCompiled(): void {
  // V8 rejects what was kept with other options than those of the usual start.
  if (process.execArgv.length > 0 || process.env.NODE_OPTIONS) return;
  const usedMs = Math.max(1, Math.round(process.cpuUsage().user / 1000));
  if (usedMs > LONGEST_MS) return;
  const isComparing = process.pid % COMPARED_STARTS === 0;
  try {
    for (const { script, keptAt, kept: before } of compiled) {
      const hasWorkedLonger = usedMs > before.afterMs * GROWTH;
      if (!hasWorkedLonger && !isComparing) continue;
      const code = script.createCachedData();
      if (hasWorkedLonger || code.length > before.bytes * LARGER)
        keep(code, { at: keptAt, afterMs: Math.max(usedMs, before.afterMs) });
    }
  } catch {
    // Where nothing can be written, nothing is kept.
  }
}

/** V8 does not check what it reads, so that a file must never be there in part. */
function keep(code: Buffer, { at, afterMs }: { at: string; afterMs: number }): void {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(afterMs, 0);
  trailer.writeUInt32LE(code.length, 4);
  const beside = `${at}.${process.pid}`;
  mkdirSync(dirname(at), { recursive: true });
  try {
    const file = openSync(beside, 'wx', 0o644);
    try {
      writeFileSync(file, Buffer.concat([code, trailer]));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, at);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
