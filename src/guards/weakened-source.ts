import { withoutComments } from './check-files.ts';

/** What ends a test run early or changes what its assertions find, in one language. */
interface Language {
  files: RegExp;
  /** Statements that end the process, or are called when it ends. */
  exits: RegExp;
  /** Statements that replace assertions, test functions or the loading of modules. */
  patches: RegExp;
  /** Code that a test run does not execute: the start of a block that runs only as the main program. */
  main?: RegExp;
  /** Statements that matter only outside of functions, where loading the file runs them. */
  onLoad?: RegExp;
}

const LANGUAGES: readonly Language[] = [
  {
    files: /\.([cm]?[jt]sx?|vue|svelte)$/i,
    exits:
      /\bprocess\s*\??\.?\s*(?:\.|\[\s*['"`])\s*(?:reallyExit|abort|exit(?!Code)(?!['"`\]\s]*\(\s*[1-9]))\b|\bprocess\s*\.\s*exitCode\s*=(?!=|\s*[1-9])|\bprocess\s*\.\s*(?:on|once|addListener|prependListener)\s*\(\s*['"`](?:exit|beforeExit|uncaughtException\w*|unhandledRejection)|\bprocess\s*\.\s*(?:removeAllListeners|kill\s*\(\s*process\s*\.\s*pid)|\{[^}\n]*\bexit\b[^}\n]*\}\s*=\s*(?:globalThis\.)?process\b|\bimport\b[^;\n]*\bexit\b[^;\n]*from\s*['"](?:node:)?process['"]|\b(?:Deno|Bun)\s*\.\s*exit\s*\((?!\s*[1-9])/g,
    patches:
      /\bassert(?:\.strict)?\.\w+\s*=(?![=>])|\b(?:Object\.(?:assign|definePropert(?:y|ies))|Reflect\.(?:set|defineProperty))\s*\(\s*(?:assert|expect|globalThis|global|process|console)\b|\b(?:globalThis|global|window)\s*(?:\.|\[\s*['"])(?:expect|assert|it|test|describe|process|console|Error|Object|JSON|Promise)\b['"\]]*\s*=(?![=>])|\brequire\.cache\b|\bModule\s*\.\s*(?:_load|_resolveFilename|_extensions|prototype)|\bregisterHooks\s*\(|\bprocess\s*\.\s*(?:(?:stdout|stderr)\s*\.\s*write|exit|emit)\s*=(?![=>])|\bconsole\s*\.\s*(?:log|error|assert)\s*=(?![=>])/g,
    main: /(?:require\.main\s*={2,3}\s*module|import\.meta\.(?:main|url|filename)\b[^\n]*|process\.argv\s*\[\s*1\s*\][^\n]*)\)?[^\n{]*\{/g,
  },
  {
    files: /\.pyi?$/i,
    exits:
      /\bos\s*\.\s*(?:_exit|abort|exec[lv]\w*)\s*\(|\bos\s*\.\s*kill\s*\(\s*os\s*\.\s*getpid|\bfrom\s+os\s+import\b[^\n]*\b_exit\b|\batexit\s*\.\s*register|@atexit\b|\bsys\s*\.\s*(?:excepthook|exitfunc)\s*=|\bsignal\s*\.\s*(?:alarm|raise_signal|setitimer)/g,
    patches:
      /\bsys\s*\.\s*modules\s*\[|\bsys\s*\.\s*(?:settrace|setprofile|meta_path|path_hooks)\b|\b(?:unittest|pytest|_pytest|builtins|TestCase)(?:\.\w+)*\.\w+\s*=(?!=)|\bsetattr\s*\(\s*(?:unittest|pytest|builtins|sys|os|TestCase)\b|\b__builtins__\b|\bbuiltins\s*\.\s*__dict__|\bdef\s+__eq__\s*\([^)]*\)[^:\n]*:\s*(?:"""[^"]*"""\s*)?return\s+True\b|\b__eq__\s*=\s*lambda\b[^:\n]*:\s*True\b/g,
    onLoad:
      /\b(?:sys\s*\.\s*exit\s*\((?!\s*[1-9])|raise\s+SystemExit\b(?!\s*\(\s*[1-9])|(?<![.\w])(?:exit|quit)\s*\((?!\s*[1-9]))/g,
    main: /^if\s+__name__\s*==\s*['"]__main__['"]\s*:/gm,
  },
  {
    files: /\.go$/,
    exits: /\bos\s*\.\s*Exit\s*\((?!\s*[1-9])|\bsyscall\s*\.\s*(?:Exit|Kill)\s*\(|\bruntime\s*\.\s*Goexit\s*\(/g,
    patches: /\bflag\s*\.\s*Set\s*\(\s*"test\.|\bos\s*\.\s*Args\s*=(?!=)|\bos\s*\.\s*Std(?:out|err)\s*=(?!=)/g,
    main: /\bfunc\s+main\s*\(\s*\)\s*\{/g,
  },
  {
    files: /\.rs$/,
    exits:
      /\bprocess\s*::\s*(?:exit\s*\((?!\s*[1-9])|abort\s*\()|\blibc\s*::\s*_?exit\b|\buse\s+std\s*::\s*process\s*::\s*(?:exit|\{[^}]*\bexit\b)/g,
    patches: /\bmacro_rules!\s*(?:assert\w*|panic|debug_assert\w*|unreachable)\b|\bpanic\s*::\s*set_hook\b/g,
    main: /\bfn\s+main\s*\(\s*\)[^{;]*\{/g,
  },
  {
    files: /\.(java|kts?|scala|groovy)$/i,
    exits:
      /\bSystem\s*\.\s*exit\s*\((?!\s*[1-9])|\bRuntime\s*\.\s*getRuntime\s*\(\s*\)\s*\.\s*(?:halt|exit|addShutdownHook)|\bexitProcess\s*\((?!\s*[1-9])/g,
    patches: /\bSystem\s*\.\s*set(?:Out|Err|SecurityManager)\s*\(/g,
    main: /\b(?:static\s+void|fun|def)\s+main\s*\([^)]*\)[^{;]*\{/g,
  },
  {
    files: /\.(cs|fs|vb)$/i,
    exits: /\bEnvironment\s*\.\s*(?:Exit\s*\((?!\s*[1-9])|FailFast|ExitCode\s*=(?!=|\s*[1-9]))|\bProcessExit\s*\+=/g,
    patches: /\bDebug\s*\.\s*Listeners\b/g,
    main: /\bstatic\s+(?:async\s+)?(?:void|int|Task(?:<int>)?)\s+Main\s*\([^)]*\)[^{;]*\{/g,
  },
  {
    files: /\.(rb|rake)$/i,
    exits:
      /^\s*(?:Kernel\.|Process\.)?exit!?\s*(?:\(?\s*(?:0|true)?\s*\)?)\s*(?:$|if\b|unless\b)|\bat_exit\b|\bProcess\s*\.\s*(?:exit!?|kill)\b|\bexit!/gm,
    patches: /\b(?:module|class)\s+(?:Minitest|RSpec|Test::Unit)\b|\bKernel\s*\.\s*(?:module_eval|class_eval)/g,
    main: /^if\s+(?:__FILE__\s*==\s*\$0|\$0\s*==\s*__FILE__|\$PROGRAM_NAME)[^\n]*/gm,
  },
  {
    files: /\.php$/i,
    exits: /\b(?:exit|die)\s*(?:\(\s*0?\s*\))?\s*;|\bregister_shutdown_function\b|\bposix_kill\s*\(/g,
    patches: /\buopz_\w+|\brunkit\w*/g,
  },
  {
    files: /\.(c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|zig|dart|d)$/i,
    exits: /\b(?:std::)?(?:_?exit|_Exit|quick_exit)\s*\(\s*(?:0|EXIT_SUCCESS|\))|\batexit\s*\(|\bposix\.exit\s*\(\s*0/g,
    patches: /#\s*define\s+(?:assert|ASSERT\w*|EXPECT\w*|REQUIRE|CHECK|NDEBUG)\b/g,
    main: /\bmain\s*\([^)]*\)[^{;]*\{/g,
  },
  {
    files: /\.(exs?|pl|pm|lua|jl|r)$/i,
    exits:
      /\bSystem\s*\.\s*(?:halt|stop)\s*\(\s*(?:0|:normal|\))|\bPOSIX::_exit\b|^\s*END\s*\{|\bos\s*\.\s*exit\s*\(\s*(?:0|true|\))|^\s*exit\s*\(?\s*0?\s*\)?\s*;?\s*$|\bquit\s*\(\s*status\s*=\s*0/gm,
    patches: /\bCode\s*\.\s*compiler_options\b/g,
  },
];

/** Longer files are generated data. */
const MAX_CHARS = 1_000_000;

/** What a change adds to source that can end a test run early or change what its assertions find; undefined when nothing. */
export function earlyExit(path: string, base: string, candidate: string): string | undefined {
  const language = LANGUAGES.find(({ files }) => files.test(path));
  if (language === undefined || candidate.length > MAX_CHARS) return undefined;
  const before = counted(statements(language, base));
  for (const statement of statements(language, candidate)) {
    const left = before.get(statement) ?? 0;
    if (left === 0) return statement;
    before.set(statement, left - 1);
  }
  return undefined;
}

function statements(language: Language, text: string): string[] {
  const code = withoutComments(text);
  const skipped = mainBlocks(language, code);
  const onLoad = language.onLoad === undefined ? [] : [...code.matchAll(language.onLoad)];
  const found = [
    ...code.matchAll(language.exits),
    ...code.matchAll(language.patches),
    ...importedPatches(language, code),
    ...onLoad.filter(({ index }) => !isInFunction(code, index)),
  ];
  return found
    .filter(({ index, 0: match }) => !skipped.some(([from, to]) => index + match.length > from && index < to))
    .map(({ 0: match, index }) => lineAt(code, index + match.length - 1));
}

/** Whether a line of Python is inside a function. */
function isInFunction(code: string, index: number): boolean {
  const lines = code.slice(0, code.indexOf('\n', index) < 0 ? code.length : code.indexOf('\n', index)).split('\n');
  let indent = /^\s*/.exec(lines.pop() ?? '')?.[0].length ?? 0;
  for (const line of lines.reverse()) {
    const own = /^\s*/.exec(line)?.[0].length ?? 0;
    if (line.trim() === '' || own >= indent) continue;
    if (/^\s*(async\s+)?def\s/.test(line)) return true;
    indent = own;
  }
  return false;
}

const TEST_LIBRARY = `['"](?:node:)?(?:assert(?:/strict)?|test|vitest|chai|expect|@jest/globals)['"]`;
/** How many names in a row are followed from a library to what is assigned. */
const MAX_ALIASES = 4;

/** Assignments to a test library, under any name that the file gives it. */
function importedPatches({ files }: Language, code: string): RegExpExecArray[] {
  if (!files.test('a.js')) return [];
  const direct = new RegExp(`(?:require|import)\\s*\\(\\s*${TEST_LIBRARY}\\s*\\)[^;\\n=]*=(?![=>])`, 'g');
  return [
    ...code.matchAll(direct),
    ...libraryNames(code).flatMap((name) => [
      ...code.matchAll(
        new RegExp(
          `(?<![\\w.$])${name}(?:\\.\\w+)*(?:\\.\\w+|\\[[^\\]\\n]+\\])\\s*=(?![=>])|(?:assign|definePropert(?:y|ies)|Reflect\\.set)\\s*\\(\\s*${name}\\b|\\(\\s*${name}\\s*,\\s*\\{`,
          'g',
        ),
      ),
    ]),
  ];
}

/** The names that a file gives to a test library or to parts of it. */
function libraryNames(code: string): string[] {
  const bound = (binding: string) =>
    binding
      .replace(/[{}]/g, ' ')
      .split(',')
      .flatMap((part) => /(\w+)\s*$/.exec(part.trim())?.[1] ?? []);
  const imported = new RegExp(
    `import\\s+([^;'"]+?)\\s+from\\s*${TEST_LIBRARY}|(?:const|let|var)\\s+(\\w+|\\{[^}]*\\})\\s*=\\s*(?:await\\s+)?(?:require|import)\\s*\\(\\s*${TEST_LIBRARY}`,
    'g',
  );
  const names = new Set([...code.matchAll(imported)].flatMap((match) => bound(match[1] ?? match[2] ?? '')));
  for (let step = 0; step < MAX_ALIASES; step += 1) {
    for (const name of [...names]) {
      const alias = new RegExp(
        `(?:const|let|var)\\s+(\\w+|\\{[^}]*\\})\\s*=\\s*${name}(?:\\.\\w+)*\\s*(?:;|\\n|$)`,
        'g',
      );
      for (const match of code.matchAll(alias)) for (const each of bound(match[1] ?? '')) names.add(each);
    }
  }
  return [...names];
}

/** The blocks of a text that run only when it is the main program. */
function mainBlocks({ main }: Language, code: string): [number, number][] {
  if (main === undefined) return [];
  return [...code.matchAll(main)].map(({ index, 0: match }): [number, number] => {
    const from = index + match.length;
    return [index, match.endsWith('{') ? closingBrace(code, from) : indentedEnd(code, from)];
  });
}

function closingBrace(code: string, from: number): number {
  let depth = 1;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '{') depth += 1;
    if (code[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

function indentedEnd(code: string, from: number): number {
  const end = /\n(?=[^\s#])/g;
  end.lastIndex = from;
  return end.exec(code)?.index ?? code.length;
}

function lineAt(code: string, index: number): string {
  const from = code.lastIndexOf('\n', index - 1) + 1;
  const to = code.indexOf('\n', index);
  return code
    .slice(from, to < 0 ? code.length : to)
    .trim()
    .slice(0, 120);
}

function counted(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

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
