import { statSync } from 'node:fs';
import { z } from 'zod';
import type { Access } from '../../schema/task.ts';
import type { AttemptInfo } from './attempt-info.ts';
import type { Point } from './listed-points.ts';
import type { Edit, Step } from './scenario-step.ts';

type Json = z.infer<ReturnType<typeof z.json>>;

/** The supported subset of JSON Schema; anything else is ignored. */
const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.json().optional(),
  enum: z.array(z.json()).optional(),
  default: z.json().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
});

type Shape = z.infer<typeof Shape>;

type Writer = { task: string; allow: readonly string[]; line: string };

const GLOB = /[*?[\]{}()!]/;

const PROSE = /\.(md|txt)$/;

/** An attempt for which the scenario has no script. */
export interface UnscriptedAttempt extends AttemptInfo {
  goal: string;
  steps: number;
  points: readonly Point[];
  access: Access;
  allow: readonly string[];
  outputSchema?: unknown;
}

const LONGEST_GOAL = 80;
const LONGEST_TITLE = 200;
const LONGEST_ID = 40;
const WORDS_OF_AN_ID = 4;
const MAX_TASKS = 200;

/** The steps when no script matches: enough for each role that any recipe finishes on any repository. */
export function improvise(attempt: UnscriptedAttempt): Step[] {
  if (attempt.role === 'plan') return plan(attempt.goal);
  if (attempt.role === 'tasks' && attempt.points.length > 0) return taskPerPoint(attempt.points.slice(0, MAX_TASKS));
  if (attempt.role === 'resolve') return [{ step: 'resolve', how: 'union' }, say('Kept both sides of every conflict.')];
  const text = `Rehearsed ${attempt.role} of ${attempt.task}: ${attempt.title}`;
  if (attempt.role === 'verify') return [{ step: 'output', output: verified(attempt.steps, text) }, say(text)];
  if (attempt.role === 'milestones')
    return [{ step: 'output', output: { ...verified(attempt.steps, text), findings: [] } }, say(text)];
  if (hasPoints(attempt.outputSchema))
    return [{ step: 'output', output: agreeing(attempt.outputSchema, text) }, say(text)];
  const steps: Step[] = attempt.access === 'write' ? [ownFile(attempt)] : [];
  if (attempt.outputSchema !== undefined)
    steps.push({ step: 'output', output: minimalValue(attempt.outputSchema, text) });
  return [...steps, say(text)];
}

/** Whether an answer consists of points with evidence, and of stances on those of others. */
function hasPoints(schema: unknown): boolean {
  const { properties = {} } = Shape.safeParse(schema).data ?? {};
  return 'points' in properties && 'answers' in properties;
}

/** A rehearsed participant has one point and agrees with it; whatever else its role requires is minimal. */
function agreeing(schema: unknown, text: string): Json {
  const evidence = 'README.md:1';
  const required = minimalValue(schema, text);
  return {
    ...(typeof required === 'object' && required),
    position: text,
    verdict: 'agree',
    answers: [{ point: 'P1', stance: 'agree', evidence }],
    points: [{ claim: 'A rehearsed point', evidence }],
  };
}

function plan(goal: string): Step[] {
  const about = goal.length > LONGEST_GOAL ? `${goal.slice(0, LONGEST_GOAL)}…` : goal;
  const task = (id: string, title: string, needs: string[]) => ({
    id,
    title: `${title}: ${about}`,
    description: `Rehearse this part of the goal: ${goal}`,
    needs,
  });
  const tasks = [
    task('first', 'First part', []),
    task('second', 'Second part', []),
    task('together', 'Bring both parts together', ['first', 'second']),
  ];
  return [
    { step: 'output', output: { tasks, summary: `Three rehearsed tasks for: ${about}` } },
    say('Planned three tasks.'),
  ];
}

/** A rehearsed list has one task for each point, without dependencies. */
function taskPerPoint(points: readonly Point[]): Step[] {
  const tasks = points.map(({ text, more }, index) => ({
    id: `${index + 1}-${shortName(text)}`,
    title: text.slice(0, LONGEST_TITLE),
    description: [`Rehearse this point of the list: ${text}`, ...more.map((line) => `- ${line}`)].join('\n'),
    needs: [],
  }));
  const count = tasks.length === 1 ? 'One rehearsed task' : `${tasks.length} rehearsed tasks`;
  return [{ step: 'output', output: { tasks, summary: `${count}, one for each open point.` } }, say(`${count}.`)];
}

function shortName(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, WORDS_OF_AN_ID).join('-').slice(0, LONGEST_ID);
}

/** A rehearsed verifier passes everything; a scenario can specify otherwise. */
function verified(count: number, summary: string) {
  const steps = Array.from({ length: Math.max(1, count) }, (_, index) => ({
    step: index + 1,
    result: 'pass',
    note: 'Rehearsed.',
  }));
  return { steps, summary };
}

function ownFile(attempt: UnscriptedAttempt): Step {
  const line = `- ${attempt.role}, attempt ${attempt.attempt}: ${attempt.title}\n`;
  return { step: 'edit', edit: ownEdit({ task: attempt.task, allow: attempt.allow, line }, isFolder) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function say(text: string): Step {
  return { step: 'say', text };
}

/** An edit that a task may make and no other task makes: in a file of its own, or in the one file that its scope names. */
function ownEdit({ task, allow, line }: Writer, isFolder: (path: string) => boolean): Edit {
  const name = task.replaceAll('/', '-');
  const [first] = allow;
  if (first === undefined) return { path: `rehearsal/${name}.md`, append: line };
  const path = pathIn(first, `rehearsal-${name}`, isFolder);
  // An additional empty line breaks the syntax of no file.
  return { path, append: PROSE.test(path) ? line : '\n' };
}

function pathIn(allowed: string, name: string, isFolder: (path: string) => boolean): string {
  const plain = allowed.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const segments = plain.split('/');
  const glob = segments.findIndex((segment) => GLOB.test(segment));
  if (glob >= 0) {
    const ending = /^\*(\.[\w.-]+)$/.exec(segments.at(-1) ?? '')?.[1] ?? '.md';
    return [...segments.slice(0, glob), `${name}${ending}`].join('/');
  }
  const isFile = !allowed.endsWith('/') && !isFolder(plain) && (segments.at(-1) ?? '').includes('.');
  return isFile ? plain : `${plain}/${name}.md`;
}

/** The minimal value that satisfies a JSON Schema, with `text` for every string. */
export function minimalValue(schema: unknown, text: string): Json {
  const parsed = Shape.safeParse(schema);
  const shape = parsed.success ? parsed.data : {};
  if (shape.const !== undefined) return shape.const;
  if (shape.enum?.[0] !== undefined) return shape.enum[0];
  if (shape.default !== undefined) return shape.default;
  const choice = shape.anyOf?.[0] ?? shape.oneOf?.[0];
  if (choice !== undefined) return minimalValue(choice, text);
  switch ([shape.type].flat()[0] ?? (shape.properties === undefined ? undefined : 'object')) {
    case 'object':
      return Object.fromEntries(
        (shape.required ?? []).map((key) => [key, minimalValue(shape.properties?.[key], text)]),
      );
    case 'array':
      return Array.from({ length: shape.minItems ?? 0 }, () => minimalValue(shape.items, text));
    case 'number':
    case 'integer':
      return minimalNumber(shape);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return text.padEnd(shape.minLength ?? 0, '.').slice(0, shape.maxLength);
  }
}

function minimalNumber({ minimum, exclusiveMinimum, maximum }: Shape): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : Math.floor(exclusiveMinimum) + 1);
  return maximum === undefined ? least : Math.min(least, maximum);
}
