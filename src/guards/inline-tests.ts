/** A test inside a source file. */
type InlineTest = { body: string; isIgnored: boolean };

const RUST_TEST =
  /((?:[ \t]*#\[[^\n]*\]\s*)*)[ \t]*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)\s*(?:<[^>]*>)?\s*\([^)]*\)[^{;]*\{/g;
const IS_TEST = /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest|wasm_bindgen_test)\b/;
const OTHERS: readonly { files: RegExp; holds: RegExp; test: RegExp }[] = [
  {
    files: /\.py$/i,
    holds: /\bdef test_|>>> /,
    test: /^[ \t]*(?:async[ \t]+)?def[ \t]+(test_\w+)|^[ \t]*(>>> [^\n]+)/gm,
  },
  { files: /\.[cm]?[jt]sx?$/i, holds: /import\.meta\.vitest/, test: /\b(?:it|test)\s*\(\s*['"`]([^'"`]+)/g },
  { files: /\.zig$/, holds: /\btest\s+"/, test: /^\s*test\s+"([^"]+)"/gm },
  { files: /\.exs?$/, holds: /iex>/, test: /^\s*(iex> [^\n]+)/gm },
];

/** What a change takes away from the tests inside a source file, or nothing; added tests are free. */
export function inlineTestReason(path: string, base: string, candidate: string): string | undefined {
  return path.endsWith('.rs') ? rustReason(base, candidate) : otherReason(path, base, candidate);
}

function rustReason(base: string, candidate: string): string | undefined {
  const before = rustTests(base);
  if (before.size === 0) return undefined;
  const after = rustTests(candidate);
  for (const [name, test] of before) {
    const now = after.get(name);
    if (now === undefined) return `deletes its test ${name}`;
    if (now.isIgnored && !test.isIgnored) return `marks its test ${name} as ignored`;
    if (now.body !== test.body) return `changes its test ${name}`;
  }
  const conditions = (text: string) =>
    [...text.matchAll(/#!?\[\s*cfg(?:_attr)?\s*\([^\n]*\]/g)].map(([match]) => match.replace(/\s/g, ''));
  const known = conditions(base);
  const isKept = known
    .filter((condition) => condition.includes('test'))
    .every((condition) => conditions(candidate).includes(condition));
  const added = conditions(candidate).find(
    (condition) => !known.includes(condition) && /any\(\)|ignore|not\(test\)|false/.test(condition),
  );
  return isKept && added === undefined ? undefined : 'changes when its tests are compiled';
}

function rustTests(text: string): Map<string, InlineTest> {
  const tests = new Map<string, InlineTest>();
  for (const match of text.matchAll(RUST_TEST)) {
    const [whole, attributes = '', name = ''] = match;
    if (!IS_TEST.test(attributes)) continue;
    const body = blockFrom(text, match.index + whole.length).replace(/\s+/g, '');
    tests.set(name, { body: attributes.replace(/\s+/g, '') + body, isIgnored: /#\[\s*ignore\b/.test(attributes) });
  }
  return tests;
}

function blockFrom(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
  }
  return text.slice(from, at);
}

function otherReason(path: string, base: string, candidate: string): string | undefined {
  const rule = OTHERS.find(({ files }) => files.test(path));
  if (rule === undefined || !rule.holds.test(base)) return undefined;
  const names = (text: string) => [...text.matchAll(rule.test)].map((match) => match[1] ?? match[2] ?? '');
  const after = new Set(rule.holds.test(candidate) ? names(candidate) : []);
  const lost = names(base).find((name) => !after.has(name));
  return lost === undefined ? undefined : `deletes its test ${lost.slice(0, 80)}`;
}
