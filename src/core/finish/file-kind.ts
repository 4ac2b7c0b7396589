import type { FileKind } from '../../schema/change.ts';

const LOCK =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|composer\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|Cargo\.lock|go\.sum|go\.work\.sum|mix\.lock|pubspec\.lock|Package\.resolved|Podfile\.lock|packages\.lock\.json|gradle\.lockfile|flake\.lock|\.terraform\.lock\.hcl)$/i;
const GENERATED =
  /(^|\/)(dist|build|out|coverage|node_modules|vendor|__generated__|generated|\.next|__snapshots__)\/|\.(min\.(js|css)|map|snap|g\.dart|designer\.cs)$|(_pb2?|\.pb|_generated|\.generated|\.gen)\.[a-z0-9]+$/i;
/** Covers every path that TEST_FILES and TEST_FOLDERS of the guards match; a test compares the two. */
const TEST =
  /(^|\/)(tests?|__tests?__|specs?|e2e|cypress|testdata|fixtures|__fixtures__)\/|(^|\/)src\/(testFixtures|androidTest|integrationTest)\/|(\.Tests?|Tests)\/(.*\/)?[^/]*\.(cs|fs|vb|swift)$|(^|\/)(test_[^/]*|tests|conftest)\.py$|(^|\/)test(-[^/]*)?\.([cm]?[jt]s|[jt]sx)$|[._-](test|tests|spec|specs|e2e|cy)\.[a-z0-9]+$|\.(test|spec|e2e|cy)\.[^/]*$|[_-](test|spec)\.[^/]*$|(Tests?|TestCase|Spec|IT)\.(java|kts?|scala|groovy|php|cs|fs|vb|swift)$|\.(feature|bats)$/;
const DOCS =
  /(^|\/)(docs?|documentation)\/|\.(md|mdx|markdown|rst|adoc|asciidoc|txt)$|(^|\/)(README|CHANGELOG|LICEN[CS]E|NOTICE|AUTHORS|CONTRIBUTING|COPYING)[^/]*$/i;
const CONFIG =
  /(^|\/)\.[^/]+$|(^|\/)\.(github|gitlab|circleci|vscode|idea|husky|devcontainer|config|manyhands)\/|(^|\/)(Dockerfile|Makefile|Jenkinsfile|Procfile|Vagrantfile|Gemfile|Rakefile|Pipfile|CMakeLists\.txt|go\.mod|go\.work)[^/]*$|\.(ya?ml|toml|ini|cfg|conf|properties|json5?|jsonc|env|tf|hcl|gradle|kts|xml|plist|lock)$|(^|\/)[^/]*\.config\.[cm]?[jt]s$|(^|\/)(setup\.py|requirements[^/]*\.txt)$/i;
const SOURCE =
  /\.([cm]?[jt]sx?|vue|svelte|astro|py|pyi|go|rs|rb|php|java|kt|scala|groovy|cs|fs|vb|c|h|cc|cpp|cxx|hpp|hh|m|mm|swift|dart|ex|exs|erl|hs|clj|cljs|lua|pl|pm|r|jl|sh|bash|zsh|fish|ps1|sql|css|scss|sass|less|html?|erb|ejs|twig|proto|graphql|gql|sol|zig|nim|elm|ml|mli)$/i;

/** The kind of a file by its path: the first rule that matches, the most specific first. */
export function fileKind(path: string): FileKind {
  if (LOCK.test(path)) return 'lock';
  if (GENERATED.test(path)) return 'generated';
  if (TEST.test(path)) return 'test';
  if (/(^|\/)requirements[^/]*\.txt$|CMakeLists\.txt$/i.test(path)) return 'config';
  if (DOCS.test(path)) return 'docs';
  if (CONFIG.test(path)) return 'config';
  return SOURCE.test(path) ? 'source' : 'other';
}
