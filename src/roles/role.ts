import { z } from 'zod';
import { fromJSONSchema } from 'zod/v4';
import { AppError, messageOf } from '../errors.ts';
import { Access, Tier } from '../schema/task.ts';
import { parseLocatedYaml } from './located-yaml.ts';
import { PLACEHOLDERS, parseTemplate, type TemplatePart } from './template.ts';

/** The front matter of a role file. */
const RoleHeader = z.strictObject({
  role: z.string().regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes, starting with a letter'),
  summary: z.string().trim().min(1, 'must not be empty').max(200),
  access: Access,
  tier: Tier.optional(),
  dependencies: z.boolean().optional(),
  output: z
    .record(z.string(), z.unknown())
    .refine((schema) => schema.type === 'object', 'must be a JSON Schema with type: object')
    .superRefine((schema, context) => {
      const problem = schemaError(schema);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: `is no JSON Schema: ${problem}` });
    })
    .optional(),
});

/** The prompt and the rights of an agent; `text` is the whole file, so that a run can pin it and read it again. */
export interface Role {
  name: string;
  summary: string;
  access: Access;
  tier?: Tier;
  /** Whether its workspace gets the project's dependencies although it only reads. */
  dependencies?: boolean;
  output?: Record<string, unknown>;
  prompt: TemplatePart[];
  text: string;
}

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;

/** Reads a role file; an error is reported with file, line and reason. */
export function parseRole(text: string, source: { name: string; file: string }): Role {
  const matter = FRONT_MATTER.exec(text);
  if (!matter) refuse(source.file, 1, 'must begin with front matter between two lines of ---');
  const yaml = matter[1] ?? '';
  const header = parseLocatedYaml(yaml, RoleHeader, { file: source.file, code: 'ROLE_INVALID', firstLine: 2 });
  if (header.role !== source.name) refuse(source.file, 2, `role: "${header.role}" is in the file of "${source.name}"`);
  return {
    name: header.role,
    summary: header.summary,
    access: header.access,
    ...(header.tier === undefined ? {} : { tier: header.tier }),
    ...(header.dependencies === undefined ? {} : { dependencies: header.dependencies }),
    ...(header.output === undefined ? {} : { output: header.output }),
    prompt: parsePrompt(text.slice(matter[0].length), source.file, matter[0].split('\n').length),
    text,
  };
}

function schemaError(schema: Record<string, unknown>): string | undefined {
  try {
    fromJSONSchema(schema);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function parsePrompt(body: string, file: string, firstLine: number): TemplatePart[] {
  const template = parseTemplate(body, PLACEHOLDERS);
  if ('error' in template) return refuse(file, firstLine + template.line - 1, template.error);
  const namesTask = template.parts.some(
    (part) => part.kind === 'value' && (part.name === 'task' || part.name === 'goal'),
  );
  if (!namesTask)
    refuse(file, firstLine, 'the text has neither {{task}} nor {{goal}}, so the agent would not know what to do');
  return template.parts;
}

function refuse(file: string, line: number, reason: string): never {
  throw new AppError('ROLE_INVALID', `${file}:${line}: ${reason}`, { file, line });
}
