import { z } from 'zod';

const List = z.array(z.string()).optional().catch(undefined);
const Settings = z.looseObject({
  files: List,
  include: List,
  exclude: List,
  extends: z.unknown().optional(),
  references: z
    .array(z.looseObject({ path: z.string() }))
    .optional()
    .catch(undefined),
  compilerOptions: z.record(z.string(), z.unknown()).default({}),
});
type Settings = z.infer<typeof Settings>;

/** Options that let the compiler find more errors; those of `strict` are on with it. */
const STRICTER =
  /^(strict|alwaysStrict|noImplicit\w+|strict\w+|noUnused\w+|noFallthroughCasesInSwitch|exactOptionalPropertyTypes|noUncheckedIndexedAccess|noPropertyAccessFromIndexSignature|useUnknownInCatchVariables|checkJs|forceConsistentCasingInFileNames|isolatedModules|isolatedDeclarations|erasableSyntaxOnly|verbatimModuleSyntax)$/;
const OF_STRICT = /^(alwaysStrict|noImplicitAny|noImplicitThis|strict\w+|useUnknownInCatchVariables)$/;
/** Options that let the compiler find fewer errors. */
const LOOSER =
  /^(noCheck|skipLibCheck|skipDefaultLibCheck|noResolve|noLib|allowUnreachableCode|allowUnusedLabels|suppress\w+|noErrorTruncation|keyofStringsOnly)$/;
const REDIRECTS = /^(rootDirs|typeRoots|baseUrl|plugins|rootDir|noEmitOnError)$/;
/** Folders of generated files, which no compiler needs to read. */
const OUTPUT =
  /^(\.\/|\*\*\/)?(node_modules|dist|build|out|lib-cov|coverage|\.next|\.turbo|\.cache|tmp|temp)(\/\*\*(\/\*)?|\/)?$/;

/** Whether a file holds settings of the TypeScript compiler. */
export function isCompilerSettings(path: string): boolean {
  return /(^|\/)(tsconfig|jsconfig)[\w.-]*\.json$/i.test(path);
}

/** Why changed settings of the compiler need a person, or nothing: it would read fewer files, or find fewer errors in them. */
export function compilerReason(base: string | undefined, candidate: string | undefined): string | undefined {
  if (base === undefined) return undefined;
  if (candidate === undefined) return 'is removed';
  const [before, after] = [read(base), read(candidate)];
  if (before === undefined || after === undefined) return 'cannot be read as JSON';
  return filesReason(before, after) ?? optionsReason(before, after);
}

function filesReason(before: Settings, after: Settings): string | undefined {
  if (JSON.stringify(before.extends) !== JSON.stringify(after.extends)) return 'changes what it extends';
  const lists = (settings: Settings) => [...(settings.files ?? []), ...(settings.include ?? [])];
  const isNarrowed = before.files === undefined && before.include === undefined && lists(after).length > 0;
  if (isNarrowed) return `reads only ${lists(after).slice(0, 3).join(', ')} any more`;
  const isAll = after.files === undefined && after.include === undefined;
  const lost = isAll ? undefined : lists(before).find((entry) => !lists(after).includes(entry));
  if (lost !== undefined) return `does not read ${lost} any more`;
  const excluded = (after.exclude ?? []).find(
    (entry) => !(before.exclude ?? []).includes(entry) && !OUTPUT.test(entry),
  );
  if (excluded !== undefined) return `excludes ${excluded}`;
  const paths = (after.references ?? []).map(({ path }) => path);
  const dropped = before.references?.find(({ path }) => !paths.includes(path));
  return dropped === undefined ? undefined : `does not refer to ${dropped.path} any more`;
}

function optionsReason(before: Settings, after: Settings): string | undefined {
  const [from, to] = [before.compilerOptions, after.compilerOptions];
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (JSON.stringify(from[name]) === JSON.stringify(to[name])) continue;
    if (STRICTER.test(name) && isOn(from, name) && !isOn(to, name)) return `switches off ${name}`;
    if (STRICTER.test(name) && OF_STRICT.test(name) && to[name] === false) return `switches off ${name}`;
    if (LOOSER.test(name) && to[name] === true) return `switches on ${name}`;
    if (REDIRECTS.test(name) && from[name] !== undefined) return `changes ${name}`;
    if (name === 'paths' && !isExtended(from[name], to[name])) return 'leads the compiler to other files with paths';
  }
  return undefined;
}

function isOn(options: Record<string, unknown>, name: string): boolean {
  return options[name] === true || (options[name] === undefined && OF_STRICT.test(name) && options.strict === true);
}

function isExtended(before: unknown, after: unknown): boolean {
  const [from, to] = [Object.entries(before ?? {}), new Map(Object.entries(after ?? {}))];
  return from.every(([key, value]) => JSON.stringify(to.get(key)) === JSON.stringify(value));
}

/** JSON as the compiler reads it: with comments and trailing commas. */
function read(text: string): Settings | undefined {
  const plain = text
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (_, quoted?: string) => quoted ?? '')
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? '');
  try {
    const parsed = Settings.safeParse(JSON.parse(plain));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // The caller holds what cannot be read.
    return undefined;
  }
}
