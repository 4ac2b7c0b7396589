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
  /** Whether the commands fetch the package manager, because it is not installed. */
  isFetched: boolean;
};

/** The package that npx fetches to run a package manager that is not installed. */
type Fetched = { package: string; modern?: string };

type Row = { name: string; locks: readonly string[]; frozen: string; plain: string; fetched?: Fetched } & Pick<
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
    fetched: { package: 'pnpm' },
    script: (name) => (name === 'test' ? 'pnpm test' : `pnpm run ${name}`),
    program: (command) => `pnpm exec ${command}`,
  },
  {
    name: 'yarn',
    locks: ['yarn.lock'],
    frozen: 'yarn install --frozen-lockfile',
    plain: 'yarn install',
    fetched: { package: 'yarn', modern: '@yarnpkg/cli-dist' },
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
  const isModernYarn = row.name === 'yarn' && files.has('.yarnrc.yml');
  const frozen = isModernYarn ? 'yarn install --immutable' : row.frozen;
  const { name, script, program } = row;
  const installer = { name, script, program, install: hasLock(row) ? frozen : row.plain, isFetched: false };
  return files.hasProgram(name) || !files.hasProgram('npx') ? installer : fetchedInstaller(installer, row, manifest);
}

/** The same commands through npx, which fetches the package manager in the version that the manifest names. */
function fetchedInstaller(installer: NodeInstaller, { name, fetched }: Row, manifest: NodeManifest): NodeInstaller {
  if (fetched === undefined) return installer;
  const version = /@(\d+)(\.[\w.-]+)?/.exec(manifest.packageManager ?? '');
  const isModern = fetched.modern !== undefined && Number(version?.[1] ?? 1) > 1;
  const suffix = version === null ? '' : `@${version[1]}${version[2] ?? ''}`;
  const npx = isModern
    ? `npx --yes --package ${fetched.modern}${suffix} ${name}`
    : `npx --yes ${fetched.package}${suffix}`;
  const through = (command: string) => command.replace(name, npx);
  return {
    name,
    isFetched: true,
    install: through(installer.install),
    script: (each) => through(installer.script(each)),
    program: (command) => through(installer.program(command)),
  };
}
