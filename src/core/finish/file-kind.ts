import type { FileKind } from '../../schema/change.ts';

/** Why a file is a test: its own name, or a folder in which helpers, fixtures and snapshots decide what the tests find. */
export type TestRule = 'name' | 'folder';

const LOCK =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|composer\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|Cargo\.lock|go\.sum|go\.work\.sum|mix\.lock|pubspec\.lock|Package\.resolved|Podfile\.lock|packages\.lock\.json|gradle\.lockfile|flake\.lock|\.terraform\.lock\.hcl)$/i;
const GENERATED =
  /(^|\/)(dist|build|out|coverage|node_modules|vendor|__generated__|generated|\.next)\/|\.(min\.(js|css)|map|g\.dart|designer\.cs)$|(_pb2?|\.pb|_generated|\.generated|\.gen)\.[a-z0-9]+$/i;
/** The only definition of a test file, for the guards and for every summary. */
const TEST_PATTERNS: Readonly<Record<TestRule, readonly RegExp[]>> = {
  name: [
    /\.(tests?|specs?|e2e|cy)\.[^/]*$/,
    /[_-](test|spec)\.[^/]*$/,
    /(^|\/)test(-[^/]*)?\.([cm]?[jt]s|[jt]sx)$/,
    /(^|\/)(test_[^/]*|tests|conftest)\.py$/,
    /(Tests?|TestCase|Spec|IT)\.(java|kts?|scala|groovy|php|cs|fs|vb|swift)$/,
    /\.(snap|feature|bats)$/,
    /(^|\/)x?t\/([^/]+\/)*[^/]+\.t$/,
  ],
  folder: [
    /(^|\/)(tests?|__tests?__|specs?|e2e|cypress|testdata|fixtures|__fixtures__|__snapshots__)\//,
    /(^|\/)x?t\/lib\//,
    /(^|\/)src\/(testFixtures|androidTest|integrationTest)\//,
    /(\.Tests?|Tests)\/(.*\/)?[^/]*\.(cs|fs|vb|swift)$/,
  ],
};
const DOCS =
  /(^|\/)(docs?|documentation)\/|\.(md|mdx|markdown|rst|adoc|asciidoc|txt)$|(^|\/)(README|CHANGELOG|LICEN[CS]E|NOTICE|AUTHORS|CONTRIBUTING|COPYING)[^/]*$/i;
const CONFIG =
  /(^|\/)\.[^/]+$|(^|\/)\.(github|gitlab|circleci|vscode|idea|husky|devcontainer|config|manyhands)\/|(^|\/)(Dockerfile|Makefile|Jenkinsfile|Procfile|Vagrantfile|Gemfile|Rakefile|Pipfile|CMakeLists\.txt|go\.mod|go\.work)[^/]*$|\.(ya?ml|toml|ini|cfg|conf|properties|json5?|jsonc|env|tf|hcl|gradle|kts|xml|plist|lock)$|(^|\/)[^/]*\.config\.[cm]?[jt]s$|(^|\/)(setup\.py|requirements[^/]*\.txt)$/i;
const SOURCE =
  /\.([cm]?[jt]sx?|vue|svelte|astro|py|pyi|go|rs|rb|php|java|kt|scala|groovy|cs|fs|vb|c|h|cc|cpp|cxx|hpp|hh|m|mm|swift|dart|ex|exs|erl|hs|clj|cljs|lua|pl|pm|r|jl|sh|bash|zsh|fish|ps1|sql|css|scss|sass|less|html?|erb|ejs|twig|proto|graphql|gql|sol|zig|nim|elm|ml|mli)$/i;

/** Why a path is a test; undefined if it is not one. */
export function testRule(path: string): TestRule | undefined {
  const isMatched = (rule: TestRule) => TEST_PATTERNS[rule].some((pattern) => pattern.test(path));
  if (isMatched('name')) return 'name';
  return isMatched('folder') ? 'folder' : undefined;
}

/** The kind of a file by its path: the first rule that matches, the most specific first. */
export function fileKind(path: string): FileKind {
  if (testRule(path) !== undefined) return 'test';
  if (LOCK.test(path)) return 'lock';
  if (GENERATED.test(path)) return 'generated';
  if (/(^|\/)requirements[^/]*\.txt$|CMakeLists\.txt$/i.test(path)) return 'config';
  if (DOCS.test(path)) return 'docs';
  if (CONFIG.test(path)) return 'config';
  return SOURCE.test(path) ? 'source' : 'other';
}
