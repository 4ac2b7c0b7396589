import { type ChangeSummary, type FileChange, FileKind, type FileTrait } from '../../schema/change.ts';
import { fileKind } from './file-kind.ts';

type Listed = ChangeSummary['files'][number];
type ChangeRisk = {
  risk: string;
  find(files: readonly Listed[]): { detail: string; files: readonly Listed[] } | undefined;
};

/** A larger change is hard to review at once. */
const LARGE_LINES = 800;
const SENSITIVE =
  /(^|\/)(\.env(\.(?!example|sample|template)[^/]*)?|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|key|p12|pfx|keystore|jks)|\.npmrc|\.netrc|\.pypirc|credentials)$/i;
const AUTOMATION =
  /(^|\/)(\.github\/(workflows|actions)\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|azure-pipelines\.yml$|\.husky\/)/i;
const MIGRATION = /(^|\/)(migrations?|db\/migrate)\//i;
const MANIFEST =
  /(^|\/)(package\.json|composer\.json|Gemfile|pyproject\.toml|requirements[^/]*\.txt|Pipfile|Cargo\.toml|go\.mod|mix\.exs|pubspec\.yaml|build\.gradle(\.kts)?|pom\.xml|[^/]*\.csproj)$/i;

const RISKS: readonly ChangeRisk[] = [
  { risk: 'sensitive-file', find: matching(SENSITIVE, 'files that usually contain secrets') },
  { risk: 'automation', find: matching(AUTOMATION, 'files that decide what runs automatically') },
  { risk: 'migration', find: matching(MIGRATION, 'changes of a database, which cannot always be reverted') },
  { risk: 'dependencies', find: matching(MANIFEST, 'files that declare dependencies') },
  { risk: 'lock-alone', find: lockAlone },
  {
    risk: 'tests-deleted',
    find: (files) =>
      found(
        files.filter((file) => file.kind === 'test' && file.status === 'deleted'),
        'tests were deleted',
      ),
  },
  {
    risk: 'binary',
    find: (files) =>
      found(
        files.filter((file) => file.binary && file.status !== 'deleted'),
        'files that cannot be read in a diff',
      ),
  },
  {
    risk: 'generated',
    find: (files) =>
      found(
        files.filter((file) => file.kind === 'generated'),
        'generated files',
      ),
  },
  { risk: 'large', find: large },
  {
    risk: 'case-collision',
    find: having('case-collision', 'paths that differ from others only in upper and lower case'),
  },
  { risk: 'over-limit', find: having('over-limit', 'files of more than 5 MB, which every clone keeps for good') },
  { risk: 'link', find: having('link', 'symbolic links') },
  { risk: 'executable', find: having('executable', 'files that became executable') },
  { risk: 'not-executable', find: having('not-executable', 'files that are not executable any more') },
  { risk: 'line-endings', find: having('line-endings', 'files whose line endings changed as a whole') },
];

/** Statistics of a change: files by kind, notable changes, and whether tests are missing. */
export function changeSummary(changes: readonly FileChange[]): ChangeSummary {
  const files = changes.map((change) => ({ ...change, kind: fileKind(change.path) }));
  const kinds = FileKind.options.flatMap((kind) => {
    const those = files.filter((file) => file.kind === kind);
    return those.length === 0 ? [] : [{ kind, files: those.length, ...linesOf(those) }];
  });
  const risks = RISKS.flatMap(({ risk, find }) => {
    const hit = find(files);
    return hit === undefined ? [] : [{ risk, detail: hit.detail, files: hit.files.map(({ path }) => path) }];
  });
  return { files, kinds, risks, tests: testsOf(files) };
}

function testsOf(files: readonly Listed[]): ChangeSummary['tests'] {
  const changed = files.filter((file) => file.kind === 'test' && file.status !== 'deleted').length;
  const source = files.filter((file) => file.kind === 'source' && file.status !== 'deleted' && file.added > 0).length;
  if (source === 0) return { needed: false, changed, reason: 'no lines were added to source files' };
  if (changed > 0) return { needed: false, changed, reason: 'tests changed with the source' };
  return {
    needed: true,
    changed,
    reason: `${source} source ${source === 1 ? 'file' : 'files'} changed and no test did`,
  };
}

function linesOf(files: readonly Listed[]): { added: number; deleted: number } {
  return {
    added: files.reduce((sum, file) => sum + file.added, 0),
    deleted: files.reduce((sum, file) => sum + file.deleted, 0),
  };
}

function found(files: readonly Listed[], detail: string): { detail: string; files: readonly Listed[] } | undefined {
  return files.length === 0 ? undefined : { detail, files };
}

function matching(pattern: RegExp, detail: string): ChangeRisk['find'] {
  return (files) =>
    found(
      files.filter(({ path }) => pattern.test(path)),
      detail,
    );
}

function having(trait: FileTrait, detail: string): ChangeRisk['find'] {
  return (files) =>
    found(
      files.filter(({ traits }) => traits?.includes(trait)),
      detail,
    );
}

function lockAlone(files: readonly Listed[]): ReturnType<ChangeRisk['find']> {
  const locks = files.filter((file) => file.kind === 'lock');
  return files.some(({ path }) => MANIFEST.test(path))
    ? undefined
    : found(locks, 'a lockfile changed without its manifest');
}

function large(files: readonly Listed[]): ReturnType<ChangeRisk['find']> {
  const written = files.filter(({ kind }) => kind !== 'lock' && kind !== 'generated');
  const { added, deleted } = linesOf(written);
  if (added + deleted <= LARGE_LINES) return undefined;
  return { detail: `${added + deleted} changed lines are hard to review at once`, files: [] };
}
