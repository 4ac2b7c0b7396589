import { join } from 'node:path';
import { type ConfigIssue, refuseConfig } from '../../config/config-error.ts';
import { readConfigText } from '../../config/files.ts';
import { isPlain, mergeConfig, type Plain, valueAt } from '../../config/merge.ts';
import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { loadRole } from '../../roles/load.ts';
import { parseRole } from '../../roles/role.ts';
import type { ImportEntry } from '../init-document.ts';
import { isFileInside, openProject, type ProjectFiles } from '../project-files.ts';
import { type ForeignFile, parseForeign } from './foreign-file.ts';
import { FORMATS, type ForeignFormat, HOME_FORMATS, type HomeFormat } from './formats.ts';
import type { ForeignPrompt, ImportContext, NewFile, Setting } from './key-mapping.ts';
import { PROMPT_ROLES } from './orchestrator-json.ts';
import { translate } from './translate.ts';

/** Placeholders of another tool's prompts, and our placeholders or plain text with the same meaning. */
const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([
  ['FEATURE_NAME', '{{title}}'],
  ['FEATURE_ID', '{{id}}'],
  ['FEATURE_DESCRIPTION', '{{task}}'],
  ['STEPS', '{{task}}'],
  ['VERIFICATION_OUTPUT', '{{evidence}}'],
  ['CWD', 'the current directory'],
  ['PROJECT_ROOT', 'the current directory'],
]);

const OWN = /^(goal|task|title|id|evidence|checks|conflict|context|instructions|appUrl)$/;

const MARK = /\{\{\s*[#/]?\s*([\w-]+)\s*\}\}/g;

const HAND_OVER = '## What to hand over';

/** A prompt and its file. */
type SourcedPrompt = ForeignPrompt & { file: string; isFile: boolean };

/** A file that a tool keeps for all projects of a person, without the keys that the project itself sets, which are listed in `hidden`. */
type HomeFile = { found: ForeignFile; format: HomeFormat; hidden: ImportEntry[] };

/** Everything that other tools' files in a project become. */
export type Imported = {
  entries: ImportEntry[];
  settings: Setting[];
  /** What lets agents do more: applied only when a person accepts it. */
  held: Setting[];
  files: NewFile[];
  notes: string[];
};

/** Placeholders of prompts, the keys that hold their values, and the values that the tool uses without them. */
const PROMPT_FACTS = [
  { name: 'APP_URL', key: 'appUrl', fallback: '{{appUrl}}' },
  { name: 'BASE_BRANCH', key: 'baseBranch', fallback: 'ai-develop' },
  { name: 'INSTRUCTIONS_FILE', key: 'instructionsFile', fallback: 'ORCHESTRATOR.md' },
];

/**
 * Reads every file of another tool, in the project and then in the home folder that the environment names; errors in any of them are
 * reported at once with their locations, and nothing counts.
 */
export async function importProject(root: string, env: NodeJS.ProcessEnv = {}): Promise<Imported> {
  const files = await openProject(root);
  const known = await knownOf(root);
  const result: Imported = { entries: [], settings: [], held: [], files: [], notes: [] };
  const prompts = await promptFiles(files);
  const issues: ConfigIssue[] = [];
  let whole: Plain = {};
  const inProject = await foreignFiles(files);
  const inHome = await homeFiles(
    env,
    inProject.map(({ found }) => found),
  );
  for (const { hidden } of inHome) result.entries.push(...hidden);
  for (const { found, format } of [...inProject, ...inHome]) {
    const given = withDefaults(found, format, known);
    const translated = translate(given, format, known);
    result.entries.push(...translated.entries);
    result.settings.push(...translated.settings);
    result.held.push(...translated.held);
    result.files.push(...translated.files);
    prompts.push(...translated.prompts.map((prompt) => ({ ...prompt, file: found.file, isFile: false })));
    issues.push(...translated.issues);
    whole = mergeConfig(given.value, whole);
  }
  if (issues.length > 0) refuseConfig(issues);
  await addRoles(result, prompts, whole);
  return { ...result, entries: firstCounts(result.entries) };
}

/** The files of other tools that an import would read. */
export async function findForeign(root: string): Promise<string[]> {
  return (await foreignFiles(await openProject(root))).map(({ found }) => found.file);
}

type Known = Omit<ImportContext, 'whole'>;

async function foreignFiles(files: ProjectFiles): Promise<{ found: ForeignFile; format: ForeignFormat }[]> {
  const all: { found: ForeignFile; format: ForeignFormat }[] = [];
  for (const format of FORMATS) {
    const text = await files.read(format.file);
    if (text === undefined) continue;
    const found = parseForeign(format.file, text, format.syntax);
    if (format.matches?.(found.value) !== false) all.push({ found, format });
  }
  return all;
}

async function knownOf(root: string): Promise<Known> {
  const args = ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'];
  const branches = new Set((await git(args, { cwd: root, asUser: true })).stdout.split('\n'));
  return { hasBranch: (name) => branches.has(name), hasFile: (path) => isFileInside(root, path) };
}

/** The tool's default file, if it exists. */
function withDefaults(found: ForeignFile, { defaults = {} }: ForeignFormat, { hasFile }: Known): ForeignFile {
  const there = Object.entries(defaults).filter(([, path]) => hasFile(path));
  return { ...found, value: mergeConfig(Object.fromEntries(there), found.value) };
}

async function addRoles(result: Imported, prompts: readonly SourcedPrompt[], whole: Plain): Promise<void> {
  const facts = new Map<string, string>();
  for (const { name, key, fallback } of PROMPT_FACTS) {
    const value = valueAt(whole, [key]);
    facts.set(name, typeof value === 'string' && value !== '' ? value.replaceAll(/[{}]/g, '') : fallback);
  }
  for (const prompt of prompts) {
    const { file, notes } = await roleFileOf(prompt, facts);
    result.notes.push(...notes);
    if (!result.files.some(({ path }) => path === file.path)) result.files.push(file);
    if (prompt.isFile) result.entries.push({ file: prompt.file, key: '', fate: 'mapped', to: file.path, note: null });
  }
}

/** Of two keys that become the same setting the first counts, and the second is reported as ignored. */
function firstCounts(entries: readonly ImportEntry[]): ImportEntry[] {
  const first = new Map<string, ImportEntry>();
  return entries.map((entry) => {
    if (entry.to === null || entry.fate !== 'mapped') return entry;
    const other = first.get(entry.to);
    if (other === undefined) first.set(entry.to, entry);
    return other === undefined
      ? entry
      : { ...entry, fate: 'ignored', to: null, note: `${other.file} already sets ${entry.to}` };
  });
}

/** Reads those of the person's home; the settings of a project take precedence, as in the tool. */
async function homeFiles(env: NodeJS.ProcessEnv, project: readonly ForeignFile[]): Promise<HomeFile[]> {
  const all: HomeFile[] = [];
  for (const format of HOME_FORMATS) {
    const text = env.HOME === undefined ? undefined : await readConfigText(join(env.HOME, format.file));
    if (text === undefined) continue;
    const found = parseForeign(`~/${format.file}`, text, format.syntax);
    all.push(belowProject({ found, format }, project.find(({ file }) => file === format.below)?.value ?? {}));
  }
  return all;
}

function belowProject({ found, format }: Omit<HomeFile, 'hidden'>, above: Plain): HomeFile {
  const keys = format.keys.map(({ key }) => key);
  const isInProject = (value: unknown, key: string) => valueAt(value, key.split('.')) !== undefined;
  const twice = keys.filter((key) => isInProject(found.value, key) && isInProject(above, key));
  const value = twice.reduce<Plain>((rest, key) => without(rest, key.split('.')), found.value);
  const note = `${format.below} sets it for this project`;
  return {
    found: { ...found, value },
    format,
    hidden: twice.map((key) => ({ file: found.file, key, fate: 'ignored', to: null, note })),
  };
}

function without(value: Plain, [first = '', ...rest]: readonly string[]): Plain {
  const { [first]: inner, ...others } = value;
  return rest.length === 0 || !isPlain(inner) ? others : { ...others, [first]: without(inner, rest) };
}

/** The prompts that are separate files. */
async function promptFiles(files: ProjectFiles): Promise<SourcedPrompt[]> {
  const found = Object.entries(PROMPT_ROLES).map(async ([name, role]) => {
    const file = `.orchestrator/${name}.md`;
    const text = await files.read(file);
    return text === undefined || text.trim() === '' ? [] : [{ role, text, file, isFile: true }];
  });
  return (await Promise.all(found)).flat();
}

/** A role file made of a prompt (`facts` are the values of that tool's placeholders): our own header, the prompt, and the sections that an agent needs in addition. */
async function roleFileOf(
  { role, text }: ForeignPrompt,
  facts: ReadonlyMap<string, string>,
): Promise<{ file: NewFile; notes: string[] }> {
  const builtIn = (await loadRole(role)).text;
  const notes: string[] = [];
  const body = text.replaceAll('\r\n', '\n').replaceAll(MARK, (mark, name: string) => {
    const own = OWN.test(name) && !/[#/]/.test(mark) ? `{{${name}}}` : undefined;
    const known = PLACEHOLDERS.get(name) ?? facts.get(name) ?? own;
    if (known === undefined) notes.push(`{{${name}}} of the ${role} prompt has no meaning here and became plain text`);
    return known ?? name;
  });
  const path = `.manyhands/roles/${role}.md`;
  const whole = [header(builtIn), body.trim(), missingSections(body), handOver(builtIn)]
    .filter((part) => part !== '')
    .join('\n\n');
  return { file: { path, text: requireRole(`${whole}\n`, role, path) }, notes: [...new Set(notes)] };
}

function header(builtIn: string): string {
  return builtIn.slice(0, builtIn.indexOf('\n---', 3) + 4);
}

/** Without its task an agent does not know what to do, without the evidence not what went wrong. */
function missingSections(body: string): string {
  const has = (name: string) => body.includes(`{{${name}}}`);
  return [
    ...(has('task') ? [] : ['## Your task\n\n{{task}}']),
    ...(has('evidence') ? [] : ['{{#evidence}}\n## What is known to be wrong\n\n{{evidence}}\n\n{{/evidence}}']),
  ].join('\n\n');
}

function handOver(builtIn: string): string {
  const at = builtIn.indexOf(HAND_OVER);
  return at < 0 ? '' : builtIn.slice(at).trimEnd();
}

function requireRole(text: string, name: string, file: string): string {
  try {
    return parseRole(text, { name, file }).text;
  } catch (error) {
    throw new AppError('ROLE_INVALID', `The ${name} prompt cannot become a role`, { name }, { cause: error });
  }
}
