import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { build } from 'esbuild';

/** What most commands load comes in one file each: opening a file costs Node more than running what is in it. */
const GROUPS = {
  base: [
    'src/main.ts',
    'src/access/open-caller.ts',
    'src/cli/commands/watch/ls.ts',
    'src/operations/runs/list-runs.ts',
  ],
  document: ['src/cli/commands/watch/show.ts', 'src/operations/runs/show-run.ts'],
  engine: [
    'src/access/own-engine.ts',
    'src/implementations.ts',
    'src/operations/runs/start-run.ts',
    'src/cli/commands/work/do.ts',
    'src/cli/commands/work/run.ts',
  ],
};

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
    ...[...groupOf.keys()]
      .filter((name) => chunks.get(name).isLoadedLater)
      .map((name) => [finalName(name).slice(0, -4), `imported:${name}`]),
  ]);
  const plugins = [
    chunksFromMemory({ chunks, groupOf, exported, groupFile, finalName, folder: options.absWorkingDir }),
  ];
  return (await build({ ...options, entryPoints, plugins })).outputFiles;
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
  return { groupOf, exported, hash: createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 8) };
}

/** The exports of merged chunks that files outside of their group import; each name that a file exports costs time when it is loaded. */
function findExported(chunks, groupOf) {
  const isWhole = (name) => chunks.get(name).isLoadedLater;
  const exported = new Map(
    [...groupOf.keys()].map((name) => [name, new Set(isWhole(name) ? chunks.get(name).exports : [])]),
  );
  for (const [importer, { text }] of chunks) {
    for (const [, names, imported] of text.matchAll(/^import \{([^}]*)\} from "\.\/([^"]+)";$/gm)) {
      if (!groupOf.has(imported) || groupOf.get(imported) === groupOf.get(importer)) continue;
      for (const name of names.split(',')) exported.get(imported).add(name.trim().split(' ')[0]);
    }
  }
  return exported;
}

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
      build.onResolve({ filter: /^\.\/.*\.c?js$/ }, ({ path, importer, namespace, kind }) => {
        const name = basename(path);
        if (!chunks.has(name)) return { path, external: true };
        const group = groupOf.get(name);
        if (group === undefined || kind === 'dynamic-import') return { path: `./${finalName(name)}`, external: true };
        const from = namespace === 'group' ? importer : groupOf.get(importer);
        return { namespace: from === group ? 'chunk' : 'imported', path: name };
      });
      build.onLoad({ filter: /.*/, namespace: 'group' }, ({ path: group }) => ({
        contents: members(group)
          .map((name) => `export { ${renamed(name, (own, merged) => `${own} as ${merged}`)} } from './${name}';\n`)
          .join(''),
        resolveDir: folder,
      }));
      build.onLoad({ filter: /.*/, namespace: 'imported' }, ({ path: name }) => ({
        contents: `export { ${renamed(name, (own, merged) => `${merged} as ${own}`)} } from './${groupFile(groupOf.get(name))}';\n`,
        resolveDir: folder,
      }));
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path: name }) => ({
        contents: chunks.get(name).text,
        resolveDir: folder,
      }));
    },
  };
  function renamed(name, pair) {
    return [...exported.get(name)].map((each) => pair(each, exportedAs(name, each))).join(', ');
  }
}
