import type { ProjectFiles } from '../project-files.ts';
import type { NodeManifest } from './node-manifest.ts';

/** How one package manager of Node installs and runs. */
export type NodeInstaller = {
  name: string;
  install: string;
  /** The command that runs a script of the manifest. */
  script(name: string): string;
  /** The command that runs a program of an installed package. */
  program(command: string): string;
};

type Row = { name: string; locks: readonly string[]; frozen: string; plain: string } & Pick<
  NodeInstaller,
  'script' | 'program'
>;

/** The order decides where a project has several lockfiles: npm's is the one that is left over most often. */
const ROWS: readonly Row[] = [
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    frozen: 'pnpm install --frozen-lockfile',
    plain: 'pnpm install',
    script: (name) => (name === 'test' ? 'pnpm test' : `pnpm run ${name}`),
    program: (command) => `pnpm exec ${command}`,
  },
  {
    name: 'yarn',
    locks: ['yarn.lock'],
    frozen: 'yarn install --frozen-lockfile',
    plain: 'yarn install',
    script: (name) => (name === 'test' ? 'yarn test' : `yarn run ${name}`),
    program: (command) => `yarn run ${command}`,
  },
  {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    frozen: 'bun install --frozen-lockfile',
    plain: 'bun install',
    script: (name) => `bun run ${name}`,
    program: (command) => `bun run ${command}`,
  },
  {
    name: 'npm',
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    frozen: 'npm ci',
    plain: 'npm install',
    script: (name) => (name === 'test' ? 'npm test' : `npm run ${name}`),
    program: (command) => `npx --no-install ${command}`,
  },
];

/** The package manager that the manifest names, else the one whose lockfile is there, else npm. */
export function nodeInstaller(files: ProjectFiles, manifest: NodeManifest): NodeInstaller {
  const named = manifest.packageManager?.split('@')[0];
  const hasLock = ({ locks }: Row) => locks.some((lock) => files.hasLockfile(lock));
  const isInstalledBy = ({ locks }: Row) => locks.some((lock) => files.has(lock));
  const row =
    ROWS.find(({ name }) => name === named) ?? ROWS.find(isInstalledBy) ?? ROWS.find(({ name }) => name === 'npm');
  if (row === undefined) throw new TypeError('npm has no row');
  const { name, script, program } = row;
  const isModernYarn = name === 'yarn' && files.has('.yarnrc.yml');
  const frozen = isModernYarn ? 'yarn install --immutable' : row.frozen;
  return { name, script, program, install: hasLock(row) ? frozen : row.plain };
}
