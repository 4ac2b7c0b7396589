import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './checkout.mjs';

/** The module that holds all prompt texts, so that pure code needs no file at run time. */
export const PROMPTS_FILE = 'src/roles/prompts.generated.ts';
/** Folders with Markdown files of prompt text; the roles themselves are read at run time, as a user may replace them. */
const FOLDERS = ['bench/prompts', 'recipes', 'roles/sections', 'roles/small-calls'];
const PLACEHOLDER = /\{\{([#/]?)([\w-]+)\}\}/g;

/** The text of the module as the Markdown files require it. */
export function promptsModule() {
  const prompts = FOLDERS.flatMap(markdownIn).sort().map(promptOf);
  return `// Written by \`npm run prompts\` from the Markdown files in src: change those.

/** The values of each prompt: texts to insert, and flags that only open sections. */
export type PromptValues = {
${prompts.map(({ name, values }) => `  '${name}': ${valuesType(values)};`).join('\n')}
};
export type PromptName = keyof PromptValues;

export const PROMPTS: Readonly<Record<PromptName, { text: string; names: readonly string[] }>> = {
${prompts.map(entryOf).join('\n')}
};
`;
}

function markdownIn(folder) {
  return readdirSync(join(ROOT, 'src', folder), { recursive: true })
    .filter((path) => path.endsWith('.md') && !path.endsWith('README.md'))
    .map((path) => `${folder}/${path.split('\\').join('/').slice(0, -'.md'.length)}`);
}

function promptOf(name) {
  const text = readFileSync(join(ROOT, 'src', `${name}.md`), 'utf8').trimEnd();
  const marks = [...text.matchAll(PLACEHOLDER)].map(([, mark, value]) => ({ mark, value }));
  const values = [...new Set(marks.map(({ value }) => value))].map((value) => ({
    value,
    isInserted: marks.some((each) => each.value === value && each.mark === ''),
  }));
  return { name, text, values };
}

function valuesType(values) {
  return values.length === 0 ? 'Record<string, never>' : `{ ${values.map(fieldOf).join('; ')} }`;
}

function fieldOf({ value, isInserted }) {
  return `${value}: ${isInserted ? 'string' : 'boolean'}`;
}

function entryOf({ name, text, values }) {
  return `  '${name}': { text: ${JSON.stringify(text)}, names: ${JSON.stringify(values.map(({ value }) => value))} },`;
}
