import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { hashOf, ROOT, textOf } from './checkout.mjs';
import { DEFERRED_PROGRAMS, deferredImports, mergeChunks } from './merge-chunks.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = 'dist/.built-from';
const SOURCES = [
  'src',
  'scripts/steps/bundle.mjs',
  'scripts/steps/merge-chunks.mjs',
  'package-lock.json',
  'tsconfig.json',
];
const MAIN = { main: 'src/main.ts' };
/** Runs a program of this build with the compiled functions that its last start kept; each such program is a copy of it. */
const RUNNER = 'src/run-compiled.ts';
/** Programs that start often and load little: each is one file, which the runner runs. */
const SMALL_PROGRAMS = {
  rehearsal: 'src/agents/rehearsal/rehearsal-program.ts',
  acp: 'src/agents/acp/acp-program.ts',
  'tool-hook': 'src/agents/tool-hook-program.ts',
  'agent-tools': 'src/mcp/agent-tools-program.ts',
  database: 'src/integrations/database-program.ts',
};
/** Those that live long and load nearly nothing. */
const PLAIN_PROGRAMS = {
  terminal: 'src/process/terminal/pty-program.ts',
  'network-proxy': 'src/process/network/proxy-program.ts',
  bridge: 'src/process/network/bridge-program.ts',
  'sandbox-runtime': 'src/process/sandbox/runtime-program.ts',
};
/** Folders of Markdown that the programs read. */
const TEXTS = ['roles', 'templates'];
/** Bundled CommonJS asks for Node's own modules by `require`. */
const BANNER =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
/** What the sources import as zod. */
const LAZY_ZOD = join(ROOT, 'src/lazy-zod.ts');
/** What that file needs of zod itself. */
const ZOD_PARTS = join(ROOT, 'src/zod-parts.ts');
/** What it offers to Node asks for its own parts in a way that no bundler can follow; its modules do not. */
const MODULE_FORMS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };
/** Programs of the machine cannot be bundled; they are found where the package is installed. */
const NATIVE = ['@lydell/node-pty'];
const LEFT_OVER_MS = 7 * 24 * 3_600_000;
/** A build has 22 MB of files of its own. */
const KEPT_BUILDS = 8;
/** All files of a build are written within this time. */
const BUILD_MS = 60_000;

/** Builds the programs if the sources are not those that dist was built from. */
export async function buildIfNeeded(say) {
  if (textOf(STAMP) === hashOf(SOURCES)) return;
  say('Building …');
  await buildPrograms();
}

/** Builds the programs and the texts they read. */
export async function buildPrograms() {
  const from = hashOf(SOURCES);
  await buildInto(DIST, async (place) => {
    await bundleMain(place);
    await bundle(SMALL_PROGRAMS, place, COMPILED);
    await bundle(PLAIN_PROGRAMS, place);
    const names = Object.keys({ ...MAIN, ...SMALL_PROGRAMS });
    await bundle(Object.fromEntries(names.map((name) => [name, RUNNER])), place, {
      define: { BUILD_ID: JSON.stringify(from.slice(0, 12)) },
    });
    await bundlePage(join(place, 'dashboard'));
    for (const folder of TEXTS) {
      for (const name of readdirSync(join(ROOT, 'src', folder)).filter((each) => each.endsWith('.md'))) {
        cpSync(join(ROOT, 'src', folder, name), join(place, folder, name));
      }
    }
  });
  writeFileSync(join(ROOT, STAMP), from);
  removeLeftOver();
}

/** Builds one more program into dist, where it finds what the others find; gives its path. */
export async function buildExtra(name, source) {
  await buildInto(DIST, (place) => bundle({ [name]: source }, place));
  return join(DIST, `${name}.js`);
}

/** Makes it elsewhere, then moves in file by file, what names the others last: whoever runs from there has all of one build. */
async function buildInto(target, make) {
  mkdirSync(join(ROOT, '.setup'), { recursive: true });
  const place = mkdtempSync(join(ROOT, '.setup', 'build-'));
  try {
    await make(place);
    const isEntry = (path) => Number(!/^(chunk-|(roles|templates)\W|dashboard\W(?!index\.html$))/.test(path));
    for (const path of filesBelow(place).sort((a, b) => isEntry(a) - isEntry(b))) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      renameSync(join(place, path), join(target, path));
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** All programs and chunks lie side by side, so that what looks for a file beside itself finds it from any of them. */
const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  packages: 'bundle',
  alias: MODULE_FORMS,
  external: NATIVE,
  platform: 'node',
  format: 'esm',
  target: 'node22.18',
  write: false,
  logLevel: 'silent',
};
const FINAL = { ...COMMON, sourcemap: true, banner: { js: BANNER } };

/** The form that the runner runs: a function body, whose compiled functions it can keep. */
const COMPILED = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: { js: '(function (exports, require, module, __moduleUrl) {' },
  footer: { js: '})' },
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__moduleUrl' },
};

/** Each program as one file. */
async function bundle(entryPoints, outdir, form = {}) {
  const { outputFiles } = await build({ ...FINAL, ...form, entryPoints, outdir, plugins: [lazyZod] });
  outputFiles.forEach(writeOutput);
}

/** What a file exports is copied name by name so that nobody can change it; ours nobody changes. */
const COPIED_EXPORTS = 'var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);';
const OWN_EXPORTS = 'var __toCommonJS = (mod) => __defProp(mod, "__esModule", { value: true });';

/** The command line: a command loads its own files and those that most commands need. */
async function bundleMain(outdir) {
  const split = { splitting: true, chunkNames: 'chunk-[name]-[hash]', sourcemap: 'inline', metafile: true };
  const result = await build({
    ...COMMON,
    ...split,
    entryPoints: { ...MAIN, ...DEFERRED_PROGRAMS },
    outdir,
    plugins: [lazyZod, withoutProgramsOfCommander, deferredImports],
  });
  (await mergeChunks(result, { ...FINAL, ...COMPILED, outdir })).forEach(writeOutput);
}

/** Commander starts subcommands that are programs of their own with it; ours are none, and loading it costs milliseconds. */
const withoutProgramsOfCommander = {
  name: 'without-programs-of-commander',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/node_modules/commander/') ? { path: 'none', namespace: 'empty' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {};' }));
  },
};

const lazyZod = {
  name: 'lazy-zod',
  setup(build) {
    const sources = [join(ROOT, 'src/'), join(ROOT, 'bench/'), join(ROOT, 'scripts/')];
    build.onResolve({ filter: /^zod$/ }, ({ importer }) =>
      importer !== ZOD_PARTS && sources.some((folder) => importer.startsWith(folder)) ? { path: LAZY_ZOD } : undefined,
    );
  },
};

/**
 * Creating `require` costs time in each file: only those with such code keep it. V8 stores a file with a single character
 * beyond ASCII in twice the memory; those that esbuild leaves are in comments and regular expressions.
 */
function writeOutput({ path, text }) {
  if (!/\.c?js$/.test(path)) return writeFileSync(path, text);
  const needed = (/\b__require\b/.test(text) ? text : text.replace(BANNER, '')).replace(COPIED_EXPORTS, OWN_EXPORTS);
  writeFileSync(
    path,
    needed.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

const PAGE = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2023',
  minify: true,
  metafile: true,
  entryNames: '[name]-[hash]',
  logLevel: 'silent',
};

/** The page: its files carry a hash in their names, so that a browser may keep them; index.html names the first ones. */
async function bundlePage(outdir) {
  const { metafile } = await build({
    ...PAGE,
    entryPoints: { main: 'src/dashboard/main.tsx' },
    outdir,
    jsx: 'automatic',
    splitting: true,
    chunkNames: 'part-[name]-[hash]',
    assetNames: 'asset-[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [libraryStyles(outdir)],
  });
  await build({
    ...PAGE,
    entryPoints: { 'service-worker': 'src/dashboard/offline-shell.ts' },
    outdir,
    entryNames: '[name]',
  });
  cpSync(join(ROOT, 'src/dashboard/static'), outdir, { recursive: true });
  const worker = await build({ ...PAGE, entryPoints: { streams: 'src/dashboard/api/stream-worker.ts' }, outdir });
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === 'src/dashboard/main.tsx');
  const [script, { cssBundle }] = entry;
  const style = gatherStyles(outdir, cssBundle);
  const page = readFileSync(join(ROOT, 'src/dashboard/index.html'), 'utf8')
    .replace('{script}', `/${basename(script)}`)
    .replace('{style}', `/${style}`)
    .replace('{streams}', `/${basename(Object.keys(worker.metafile.outputs)[0])}`);
  writeFileSync(join(outdir, 'index.html'), page);
}

/** The styles of a library become a file that the part which imports them loads; ahead of ours, which override them. */
function libraryStyles(outdir) {
  return {
    name: 'library-styles',
    setup: ({ onLoad }) =>
      onLoad({ filter: /node_modules.*\.css$/ }, async ({ path }) => {
        const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
        const name = `asset-${basename(path, '.css')}-${hashOfText(code)}.css`;
        mkdirSync(outdir, { recursive: true });
        writeFileSync(join(outdir, name), code);
        return { contents: LOAD_STYLE.replace('{style}', `/${name}`) };
      }),
  };
}

const LOAD_STYLE = `const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '{style}' });
await new Promise((resolve) => {
  link.onload = resolve;
  link.onerror = resolve;
  document.head.prepend(link);
});`;

/** Parts that are loaded later cannot bring their styles along: all styles become one file, those of the frame first. */
function gatherStyles(outdir, first) {
  const names = readdirSync(outdir).filter((name) => name.endsWith('.css') && !name.startsWith('asset-'));
  const isFirst = (name) => Number(name === basename(first));
  const texts = names
    .sort((a, b) => isFirst(b) - isFirst(a) || a.localeCompare(b))
    .map((name) => readFileSync(join(outdir, name), 'utf8'));
  for (const name of names) rmSync(join(outdir, name));
  const text = [...new Set(texts.flatMap(rulesOf))].join('');
  const name = `main-${hashOfText(text)}.css`;
  writeFileSync(join(outdir, name), text);
  return name;
}

function hashOfText(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** The rules of a style sheet one by one; several parts bring those of what they share. */
function rulesOf(text) {
  const rules = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth > 0 || (text[at] !== '}' && text[at] !== ';')) continue;
    rules.push(text.slice(from, at + 1).trim());
    from = at + 1;
  }
  return rules;
}

function filesBelow(folder, top = folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, top) : [relative(top, path)];
  });
}

/** Chunks of earlier builds may still be asked for by a program that runs; after a week, or some builds later, nobody does. */
function removeLeftOver() {
  const files = filesBelow(DIST).flatMap((each) => {
    const stats = statSync(join(DIST, each), { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ name: each, path: join(DIST, each), at: stats.mtimeMs }];
  });
  const builds = files.filter(({ name }) => /^chunk-base-\w+\.cjs$/.test(name)).map(({ at }) => at);
  const oldestKept = builds.sort((a, b) => b - a)[KEPT_BUILDS - 1] ?? 0;
  const limit = Math.max(Date.now() - LEFT_OVER_MS, oldestKept - BUILD_MS);
  for (const { path, at } of files) if (at < limit) rmSync(path, { force: true });
}
