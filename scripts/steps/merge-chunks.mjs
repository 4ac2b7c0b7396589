import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';
import { textOf } from './checkout.mjs';

/**
 * What most commands load comes in one file each: opening a file costs Node more than running what is in it. The runner
 * loads a deferred group when one of its exports is first used: few starts use them, and what imports them uses them in functions.
 */
const GROUPS = {
  base: [
    'src/main.ts',
    'src/access/open-caller.ts',
    'src/cli/commands/watch/ls.ts',
    'src/operations/runs/list-runs.ts',
  ],
  'deferred-zod': ['src/zod-parts.ts'],
  'deferred-requests': ['src/schema/request.ts', 'src/schema/work-file.ts'],
  'deferred-fold': [
    'src/core/run/evolve.ts',
    'src/schema/config.ts',
    'src/schema/event.ts',
    'src/schema/coordination/knowledge.ts',
    'src/schema/coordination/lock.ts',
    'src/schema/coordination/note.ts',
    'src/schema/watch/watch-event.ts',
    'src/core/project/knowledge.ts',
    'src/core/project/locks.ts',
    'src/core/project/notes.ts',
    'src/core/watch/watch-series.ts',
    'src/core/schedule/account.ts',
  ],
  'deferred-view': ['src/core/view/document.ts', 'src/core/view/attention.ts', 'src/core/view/failed-check.ts'],
  'deferred-processes': [
    'src/process/run.ts',
    'src/git/git.ts',
    'src/process/terminal/terminal.ts',
    'src/process/terminal/watch.ts',
    'src/process/detached.ts',
    'src/cli/follow/show-steps.ts',
    'src/cli/terminal/raw-screen.ts',
  ],
  'deferred-rights': ['src/core/run/decide-run.ts', 'src/core/redact.ts', 'src/core/project/collection.ts'],
  'deferred-socket': ['src/access/socket/protocol.ts', 'src/access/socket/wire.ts'],
  'deferred-help': ['node_modules/commander/lib/help.js', 'node_modules/commander/lib/suggestSimilar.js'],
  'deferred-colors': ['node_modules/picocolors/picocolors.js'],
  'deferred-schemas': ['node_modules/zod/v4/classic/from-json-schema.js'],
  document: ['src/cli/commands/watch/show.ts', 'src/operations/runs/show-run.ts'],
  'deferred-recipes': ['src/recipes/job/job.ts', 'src/recipes/goal/goal.ts'],
  'deferred-other-recipes': [
    'src/recipes/bulk/bulk.ts',
    'src/recipes/cycle/cycle.ts',
    'src/recipes/debate/debate.ts',
    'src/recipes/features/features.ts',
    'src/recipes/improve/improve.ts',
    'src/recipes/review/review.ts',
    'src/recipes/tasks/tasks.ts',
    'src/recipes/team/team.ts',
    'src/recipes/todo/todo.ts',
    'src/recipes/watch/watch.ts',
    'src/recipes/workflow/workflow.ts',
  ],
  'deferred-expressions': ['src/recipes/workflow/expression.ts'],
  'deferred-patterns': ['src/core/policy/path-glob.ts', 'src/core/view/checkpoint.ts'],
  engine: [
    'src/access/own-engine.ts',
    'src/implementations.ts',
    'src/operations/runs/start-run.ts',
    'src/cli/commands/work/do.ts',
    'src/cli/commands/work/run.ts',
  ],
};

const DEFERRED = 'deferred-';
const deferredSources = Object.entries(GROUPS).flatMap(([group, sources]) =>
  group.startsWith(DEFERRED) ? sources : [],
);
const deferredName = (source) => `chunk-${DEFERRED}${source.replace(/\W/g, '-')}`;

/** The deferred modules as programs of the first build, so that each has chunks of its own. */
export const DEFERRED_PROGRAMS = Object.fromEntries(deferredSources.map((source) => [deferredName(source), source]));

/** Packages that are deferred as a whole, by the name that imports them. */
const deferredPackages = new Map(
  deferredSources.flatMap((source) => {
    const [, name, file] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/([^/]+)$/.exec(source) ?? [];
    return name === undefined || mainOf(name) !== file ? [] : [[name, source]];
  }),
);

/** Keeps the imports of deferred modules as imports of their chunks. */
export const deferredImports = {
  name: 'deferred-imports',
  setup(build) {
    const root = build.initialOptions.absWorkingDir;
    build.onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
      if (kind !== 'import-statement') return undefined;
      const source = path.startsWith('.') ? relative(root, join(resolveDir, path)) : deferredPackages.get(path);
      return deferredSources.includes(source) ? { path: `./${deferredName(source)}.js`, external: true } : undefined;
    });
  },
};

function mainOf(name) {
  const { main = 'index.js' } = JSON.parse(textOf(`node_modules/${name}/package.json`));
  return basename(main);
}

/**
 * Merges the chunks of a build with splitting: everything that the sources of a group import statically, and no earlier
 * group has, becomes one file. The other chunks stay, with their imports changed. Gives the files of the second build.
 */
export async function mergeChunks({ outputFiles, metafile }, options) {
  const chunks = readChunks({ outputFiles, metafile });
  const { groupOf, exported, hash } = assignGroups(chunks);
  const finalName = (name) =>
    chunks.get(name).isProgram ? name.replace(/\.js$/, '.cjs') : name.replace(/\.js$/, `-${hash}.cjs`);
  const groupFile = (group) => `chunk-${group}-${hash}.cjs`;
  const alone = [...chunks.keys()].filter((name) => !groupOf.has(name));
  const entryPoints = Object.fromEntries([
    ...Object.keys(GROUPS).map((group) => [groupFile(group).slice(0, -4), `group:${group}`]),
    ...alone.map((name) => [finalName(name).slice(0, -4), `chunk:${name}`]),
  ]);
  const plugins = [
    chunksFromMemory({ chunks, groupOf, exported, groupFile, finalName, folder: options.absWorkingDir }),
  ];
  const groupFiles = Object.keys(GROUPS).map(groupFile);
  const { outputFiles: merged } = await build({ ...options, entryPoints, plugins });
  return merged.map(({ path, text }) => ({
    path,
    text: groupFiles.includes(basename(path)) ? quickExports(text) : text,
  }));
}

/** Defines exports by a class: V8 makes its getters at once from compiled code, and hundreds of properties one by one. */
function quickExports(text) {
  return text.replace(/^var (\w+) = \{\};\n__export\(\1, \{\n([^}]*)\n\}\);$/m, (_, name, pairs) => {
    const getters = pairs.replace(/^ *([\w$]+): \(\) => (.*?),?$/gm, '  get $1() { return $2; }');
    return `var ${name} =\nnew (class {\n${getters}\n})();`;
  });
}

function readChunks({ outputFiles, metafile }) {
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const scripts = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'));
  const dynamic = scripts.flatMap(([, { imports }]) => imports.filter(({ kind }) => kind === 'dynamic-import'));
  const loadedLater = new Set(dynamic.map(({ path }) => basename(path)));
  return new Map(
    scripts.map(([path, { exports, imports, entryPoint }]) => {
      const name = basename(path);
      const statics = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      return [
        name,
        {
          text: texts.get(name),
          exports,
          source: entryPoint,
          isProgram: !name.startsWith('chunk-'),
          isLoadedLater: loadedLater.has(name),
          imports: statics.map((each) => basename(each.path)),
        },
      ];
    }),
  );
}

/** Which group each merged chunk is in, and a hash of all of them: whoever runs an older build finds its own files. */
function assignGroups(chunks) {
  const groupOf = new Map();
  for (const [group, sources] of Object.entries(GROUPS)) {
    const add = (name) => {
      if (groupOf.has(name)) return;
      if (!chunks.get(name).isProgram) groupOf.set(name, group);
      chunks.get(name).imports.forEach(add);
    };
    for (const [name, { source }] of chunks) if (sources.includes(source)) add(name);
  }
  const exported = findExported(chunks, groupOf);
  const names = [...groupOf].map(([name, group]) => `${group}/${name} ${[...exported.get(name)].sort()}`).sort();
  // The names of other chunks contain a hash of their text.
  const deferred = Object.keys(DEFERRED_PROGRAMS).map((name) => chunks.get(`${name}.js`).text);
  const hash = createHash('sha256').update([...names, ...deferred].join('\n'));
  return { groupOf, exported, hash: hash.digest('hex').slice(0, 8) };
}

/** The exports of merged chunks that files outside of their group import; each name that a file exports costs time when it is loaded. */
function findExported(chunks, groupOf) {
  const exported = new Map([...groupOf.keys()].map((name) => [name, new Set()]));
  for (const [importer, { text }] of chunks) {
    for (const [, whole, names = '', imported] of text.matchAll(
      /^import (?:(\w+)|\{([^}]*)\}) from "\.\/([^"]+)";$/gm,
    )) {
      if (!groupOf.has(imported) || groupOf.get(imported) === groupOf.get(importer)) continue;
      if (whole !== undefined) exported.get(imported).add('default');
      else for (const name of names.split(',')) exported.get(imported).add(name.trim().split(' ')[0]);
    }
  }
  return exported;
}

/** What `import()` of a merged chunk gives is an export of its group. */
const namespaceOf = (chunk) => `${chunk.replace(/\W/g, '_')}$`;
const exportedAs = (chunk, name) => `${chunk.replace(/\W/g, '_')}$${name}`;

function chunksFromMemory({ chunks, groupOf, exported, groupFile, finalName, folder }) {
  const members = (group) => [...groupOf].filter(([, each]) => each === group).map(([name]) => name);
  return {
    name: 'chunks',
    setup(build) {
      build.onResolve({ filter: /^(group|chunk|imported):/ }, ({ path }) => {
        const [namespace, name] = path.split(':');
        return { namespace, path: name };
      });
      build.onResolve({ filter: /^\.\/.*\.c?js$/ }, ({ path, importer, namespace }) => {
        const name = basename(path);
        if (!chunks.has(name)) return { path, external: true };
        const group = groupOf.get(name);
        if (group === undefined) return { path: `./${finalName(name)}`, external: true };
        const from = namespace === 'group' ? importer : groupOf.get(importer);
        return { namespace: from === group ? 'chunk' : 'imported', path: name };
      });
      build.onLoad({ filter: /.*/, namespace: 'group' }, ({ path: group }) => ({
        contents: members(group)
          .flatMap((name) => [
            `export { ${renamed(name, (own, merged) => `${own} as ${merged}`)} } from './${name}';\n`,
            chunks.get(name).isLoadedLater ? `export * as ${namespaceOf(name)} from './${name}';\n` : '',
          ])
          .join(''),
        resolveDir: folder,
      }));
      build.onLoad({ filter: /.*/, namespace: 'imported' }, ({ path: name }) => ({
        contents: `export { ${renamed(name, (own, merged) => `${merged} as ${own}`)} } from './${groupFile(groupOf.get(name))}';\n`,
        resolveDir: folder,
      }));
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path: name }) => ({
        contents: chunks.get(name).text.replace(/\bimport\("\.\/([^"]+)"\)/g, fromGroup),
        resolveDir: folder,
      }));
    },
  };
  /** A file that only names what a group has would cost as much as another. */
  function fromGroup(whole, name) {
    if (!groupOf.has(name)) return whole;
    return `Promise.resolve().then(() => require("./${groupFile(groupOf.get(name))}").${namespaceOf(name)})`;
  }
  function renamed(name, pair) {
    return [...exported.get(name)].map((each) => pair(each, exportedAs(name, each))).join(', ');
  }
}
