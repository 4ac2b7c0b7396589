import { AppError } from '../../errors.ts';
import { loadRole } from '../../roles/load.ts';
import { parseRole } from '../../roles/role.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { ForeignPrompt, NewFile } from './key-mapping.ts';
import { PROMPT_ROLES } from './orchestrator-json.ts';

/** Placeholders of another tool's prompts, and our placeholders or plain text with the same meaning. */
const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([
  ['FEATURE_NAME', '{{title}}'],
  ['FEATURE_DESCRIPTION', '{{task}}'],
  ['STEPS', '{{task}}'],
  ['VERIFICATION_OUTPUT', '{{evidence}}'],
  ['CWD', 'the current directory'],
  ['PROJECT_ROOT', 'the current directory'],
]);
const OWN = /^(goal|task|title|evidence|checks|conflict|context|instructions)$/;
const MARK = /\{\{[#/]?([\w-]+)\}\}/g;
const HAND_OVER = '## What to hand over';

/** A prompt and its file. */
export type SourcedPrompt = ForeignPrompt & { file: string; isFile: boolean };

/** The prompts that are separate files. */
export async function promptFiles(files: ProjectFiles): Promise<SourcedPrompt[]> {
  const found = Object.entries(PROMPT_ROLES).map(async ([name, role]) => {
    const file = `.orchestrator/${name}.md`;
    const text = await files.read(file);
    return text === undefined || text.trim() === '' ? [] : [{ role, text, file, isFile: true }];
  });
  return (await Promise.all(found)).flat();
}

/** A role file made of a prompt (`facts` are the values of that tool's placeholders): our own header, the prompt, and the sections that an agent needs in addition. */
export async function roleFileOf(
  { role, text }: ForeignPrompt,
  facts: ReadonlyMap<string, string>,
): Promise<{ file: NewFile; notes: string[] }> {
  const builtIn = (await loadRole(role)).text;
  const notes: string[] = [];
  const body = text.replaceAll('\r\n', '\n').replaceAll(MARK, (mark, name: string) => {
    const own = OWN.test(name) && !/[#/]/.test(mark) ? mark : undefined;
    const known = PLACEHOLDERS.get(name) ?? facts.get(name)?.replaceAll(/[{}]/g, '') ?? own;
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
