import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { hashOf, ROOT, textOf } from './checkout.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = 'dist/.built-from';
const SOURCES = ['src', 'scripts/steps/bundle.mjs', 'package-lock.json', 'tsconfig.json'];
const PROGRAMS = {
  main: 'src/main.ts',
  rehearsal: 'src/agents/rehearsal-program.ts',
  acp: 'src/agents/acp-program.ts',
  'scope-hook': 'src/gates/scope-hook-program.ts',
};
/** Folders of Markdown that the programs read. */
const TEXTS = ['roles', 'templates'];
/** Bundled CommonJS asks for Node's own modules by `require`. */
const BANNER =
  "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);";
/** What it offers to Node asks for its own parts in a way that no bundler can follow; its modules do not. */
const MODULE_FORMS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };
const LEFT_OVER_MS = 7 * 24 * 3_600_000;

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
    await bundle(PROGRAMS, place);
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
    const isProgram = (path) => Number(!/^(chunk-|(roles|templates)\W)/.test(path));
    for (const path of filesBelow(place).sort((a, b) => isProgram(a) - isProgram(b))) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      renameSync(join(place, path), join(target, path));
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** All programs and chunks lie side by side, so that what looks for a file beside itself finds it from any of them. */
async function bundle(entryPoints, outdir) {
  await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    bundle: true,
    packages: 'bundle',
    alias: MODULE_FORMS,
    platform: 'node',
    format: 'esm',
    target: 'node22.18',
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    sourcemap: true,
    banner: { js: BANNER },
    logLevel: 'silent',
  });
}

function filesBelow(folder, top = folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, top) : [relative(top, path)];
  });
}

/** Chunks of earlier builds may still be asked for by a program that runs; after a week nobody does. */
function removeLeftOver() {
  for (const path of filesBelow(DIST).map((each) => join(DIST, each))) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > LEFT_OVER_MS) rmSync(path, { force: true });
  }
}
