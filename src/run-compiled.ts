// An import of Node's own modules makes Node load what their rarest exports need.
const { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { basename, dirname, join } = process.getBuiltinModule('node:path');
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule('node:url');
const { Script } = process.getBuiltinModule('node:vm');

/** Put here by the build: V8 recognises a changed source only by its length. */
declare const BUILD_ID: string;

type Module = { exports: unknown };
type ModuleBody = (exports: unknown, require: (name: string) => unknown, module: Module, moduleUrl: string) => void;
/** A file that was run, where its compiled code is kept, and the processor time of the process that kept it; 0 if none did. */
type Compiled = { script: InstanceType<typeof Script>; keptAt: string; keptAfterMs: number };

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
/** After that V8 may have dropped the functions that a start needs. */
const LONGEST_MS = 5_000;

const folder = dirname(fileURLToPath(import.meta.url));
const program = basename(fileURLToPath(import.meta.url), '.js');
const kept = join(folder, '.compiled', `${BUILD_ID}-${process.version}-${process.arch}`, startName());
const modules = new Map<string, Module>();
const later = new Map<string, object>();
const compiled: Compiled[] = [];
let requireInstalled: NodeJS.Require | undefined;

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
  const { cachedData, keptAfterMs } = readKept(keptAt);
  const options = cachedData === undefined ? { filename: path } : { filename: path, cachedData };
  // The files of a build are ASCII, and one function each: a copy of their text would cost a collection of garbage.
  const script = new Script(readFileSync(path, 'latin1'), options);
  compiled.push({ script, keptAt, keptAfterMs: script.cachedDataRejected === true ? 0 : keptAfterMs });
  const body = script.runInThisContext() as ModuleBody; // the build makes it so
  body(module.exports, requireFor, module, pathToFileURL(path).href);
  return module.exports;
}

function requireFor(name: string): unknown {
  if (name.startsWith(DEFERRED)) return deferred(name);
  if (name.startsWith('./')) return load(name);
  if (LOADED_WHEN_USED.includes(name)) return loadedWhenUsed(name);
  const own: unknown = process.getBuiltinModule(name);
  if (own !== undefined) return own;
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

function readKept(path: string): { cachedData?: Buffer; keptAfterMs: number } {
  try {
    const bytes = readFileSync(path);
    const length = bytes.length - TRAILER_BYTES;
    if (length < 0 || bytes.readUInt32LE(length + 4) !== length) return { keptAfterMs: 0 };
    return { cachedData: bytes.subarray(0, length), keptAfterMs: bytes.readUInt32LE(length) };
  } catch {
    // Nothing is kept yet, or it cannot be read: the source is compiled.
    return { keptAfterMs: 0 };
  }
}

/** Keeps the functions that this process ran, for the next start of the same command. */
function keepCompiled(): void {
  // V8 rejects what was kept with other options than those of the usual start.
  const hasOptions = process.execArgv.length > 0 || process.env.NODE_OPTIONS;
  if (hasOptions && process.argv[2] !== 'serve') return;
  const usedMs = Math.max(1, Math.round(process.cpuUsage().user / 1000));
  if (usedMs > LONGEST_MS) return;
  const grown = compiled.filter(({ keptAfterMs }) => usedMs > keptAfterMs * GROWTH);
  try {
    if (grown.length > 0) mkdirSync(kept, { recursive: true });
    for (const each of grown) keep(each, usedMs);
  } catch {
    // Where nothing can be written, nothing is kept.
  }
}

/** V8 does not check what it reads, so that a file must never be there in part. */
function keep({ script, keptAt }: Compiled, usedMs: number): void {
  const code = script.createCachedData();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(usedMs, 0);
  trailer.writeUInt32LE(code.length, 4);
  const beside = `${keptAt}.${process.pid}`;
  try {
    const file = openSync(beside, 'wx', 0o644);
    try {
      writeFileSync(file, Buffer.concat([code, trailer]));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, keptAt);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
