import { PROMPTS, type PromptName, type PromptValues } from './prompts.generated.ts';
import type { Role } from './role.ts';
import { type Placeholder, parseTemplate, renderTemplate, type TemplatePart } from './template.ts';

/** The prompt of a role, with its values inserted verbatim and its empty sections omitted. */
export function renderPrompt(role: Pick<Role, 'prompt'>, values: Partial<Record<Placeholder, string>>): string {
  return `${renderTemplate(role.prompt, values)}\n`;
}

/** The text of a Markdown file of prompt text, named by its path in src without `.md`; nothing is read at run time. */
export function promptText<Name extends PromptName>(name: Name, values: PromptValues[Name]): string {
  return renderTemplate(partsOf(name), values);
}

const parsed = new Map<PromptName, TemplatePart<string>[]>();

function partsOf(name: PromptName): TemplatePart<string>[] {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const { text, names } = PROMPTS[name];
  const template = parseTemplate<string>(text, names);
  if ('error' in template) throw new Error(`src/${name}.md:${template.line}: ${template.error}`);
  parsed.set(name, template.parts);
  return template.parts;
}
