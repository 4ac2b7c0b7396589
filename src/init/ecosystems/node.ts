import { type Ecosystem, type Found, type FoundCheck, frameworkOf, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';
import { type NodeInstaller, nodeInstaller } from './node-installer.ts';
import { type NodeManifest, readNodeManifest, scriptText, usesPackage } from './node-manifest.ts';

/** A framework comes before what it is built on. */
const FRAMEWORKS = [
  ['Next.js', 'next'],
  ['Nuxt', 'nuxt', 'nuxt3'],
  ['SvelteKit', '@sveltejs/kit'],
  ['Astro', 'astro'],
  ['Remix', '@remix-run/react', '@remix-run/node', '@remix-run/dev', '@react-router/dev'],
  ['Gatsby', 'gatsby'],
  ['Angular', '@angular/core'],
  ['NestJS', '@nestjs/core'],
  ['Expo', 'expo'],
  ['React Native', 'react-native'],
  ['SolidStart', '@solidjs/start'],
  ['Electron', 'electron'],
  ['Vue', 'vue'],
  ['Svelte', 'svelte'],
  ['Solid', 'solid-js'],
  ['React', 'react'],
  ['Fastify', 'fastify'],
  ['Hono', 'hono'],
  ['Koa', 'koa'],
  ['Express', 'express'],
] as const;

/** Scripts by the names that people give them, the best first. */
const SCRIPTS = {
  test: ['test'],
  lint: ['lint:check', 'lint', 'check:lint'],
  typecheck: ['typecheck', 'type-check', 'check-types', 'check:types', 'types:check'],
  build: ['build'],
} as const;
const CHECKS = ['test', 'lint', 'typecheck', 'build'] as const;

const PLACEHOLDER = /no test specified/i;
/** Words of a script that waits for changes and so never ends. */
const WATCHING = ['--watch', '--watchAll', '--watch=true', 'nodemon', 'tsc-watch'];
const KEY_FILES = ['package.json', 'src', 'app', 'pages', 'server', 'lib', 'test', 'tests'];

/** Whatever has a package.json. */
export const node: Ecosystem = {
  name: 'Node.js',
  async detect(files) {
    const manifest = await readNodeManifest(files);
    if (manifest === undefined) return undefined;
    if ('note' in manifest) return { ...nothing(files), notes: [manifest.note] };
    const manager = nodeInstaller(files, manifest);
    const { checks, notes } = checksOf(files, manifest, manager);
    const installs = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0;
    return {
      framework: frameworkOf(FRAMEWORKS, (name) => usesPackage(manifest, name)) ?? 'Node.js',
      packageManager: manager.name,
      checks,
      setup: installs || isWorkspace(files, manifest) ? [manager.install] : [],
      dependencyDirs: ['node_modules'],
      keyFiles: present(files, KEY_FILES),
      notes: manager.isFetched ? [...notes, fetchNote(manager.name)] : notes,
    };
  },
};

function fetchNote(name: string): string {
  return `${name} is not installed here, so its commands use npx, which downloads it (to install it: npm install -g ${name})`;
}

function nothing(files: ProjectFiles): Found {
  const keyFiles = present(files, KEY_FILES);
  return { framework: 'Node.js', packageManager: null, checks: [], setup: [], dependencyDirs: [], keyFiles, notes: [] };
}

function isWorkspace(files: ProjectFiles, { workspaces }: NodeManifest): boolean {
  return workspaces !== undefined || files.has('pnpm-workspace.yaml');
}

function checksOf(
  files: ProjectFiles,
  manifest: NodeManifest,
  manager: NodeInstaller,
): { checks: FoundCheck[]; notes: string[] } {
  const checks: FoundCheck[] = [];
  const notes: string[] = [];
  for (const name of CHECKS) {
    const script = SCRIPTS[name].find((candidate) => isReal(scriptText(manifest, candidate)));
    if (script === undefined) continue;
    if (isWatching(scriptText(manifest, script) ?? ''))
      notes.push(`the script "${script}" waits for changes and never ends, so it is no check`);
    else checks.push({ name, run: manager.script(script) });
  }
  const hasTypes = files.has('tsconfig.json') && usesPackage(manifest, 'typescript');
  if (hasTypes && !checks.some(({ name }) => name === 'typecheck'))
    checks.push({ name: 'typecheck', run: manager.program('tsc --noEmit') });
  return { checks, notes };
}

function isWatching(script: string): boolean {
  const parts = script.split(/\s/);
  return WATCHING.some((flag) => parts.includes(flag)) || (parts.includes('tsc') && parts.includes('-w'));
}

function isReal(script: string | undefined): boolean {
  return script !== undefined && !PLACEHOLDER.test(script);
}
