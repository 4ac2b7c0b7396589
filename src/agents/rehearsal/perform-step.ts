import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../errors.ts';
import { type RunResult, run } from '../../process/run.ts';
import type { Failure } from '../../schema/failure.ts';
import type { World } from '../../world.ts';
import { pathInside } from '../path-inside.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import type { RehearsalLine } from './rehearsal-input.ts';
import type { Edit, Resolution, Step } from './scenario-step.ts';

/** Where steps are performed: the workspace, and the writer of event lines. */
export interface StepContext {
  workspace: string;
  env: Record<string, string>;
  world: World;
  write(line: RehearsalLine): void;
}

const ToolsFile = z.object({ command: z.array(z.string()) });

/** Longer than any test suite of a rehearsal; the attempt's own limits end it earlier. */
const RUN_TIMEOUT_MS = 3_600_000;

/** The change that an edit made, or why it could not be applied. */
type Edited = { change: 'added' | 'modified' | 'deleted' } | { error: string };

type Side = 'ours' | 'base' | 'theirs';

type Hunk = { side: Side; raw: string[]; ours: string[]; theirs: string[] };

const BEGIN = /^<{7}(?: |\r?\n|$)/;

const BASE = /^\|{7}(?: |\r?\n|$)/;

const MIDDLE = /^={7}(?:\r?\n|$)/;

const END = /^>{7}(?: |\r?\n|$)/;

/** What happens after a step. */
export type StepOutcome =
  | { next: 'on' }
  | { next: 'output'; output: unknown }
  | { next: 'fail'; failure: Failure }
  | { next: 'leave'; code: number };

type StepOf<Name extends Step['step']> = Extract<Step, { step: Name }>;

const ON: StepOutcome = { next: 'on' };

/** Performs one step in the workspace; a step that cannot be applied fails with the reason. */
export async function performStep(step: Step, context: StepContext): Promise<StepOutcome> {
  switch (step.step) {
    case 'say':
      context.write({ type: 'text', text: step.text });
      return ON;
    case 'think':
      context.write({ type: 'reasoning', text: step.text });
      return ON;
    case 'edit':
      return performEdit(step, context);
    case 'run':
      return performRun(step, context);
    case 'tool':
      return performTool(step, context);
    case 'output':
      return { next: 'output', output: step.output };
    case 'fail':
      return { next: 'fail', failure: failureOf(step, context) };
    case 'use':
      context.write({ type: 'usage', usage: { kind: 'known', ...step.usage, cachedTokens: 0, turns: 1 } });
      return ON;
    case 'sleep':
      await context.world.sleep(step.ms);
      return ON;
    case 'commit':
      return performCommit(step.text, context);
    case 'exit':
      return { next: 'leave', code: step.code };
    case 'resolve':
      return performResolve(step.how, context);
  }
}

async function performEdit({ edit }: StepOf<'edit'>, context: StepContext): Promise<StepOutcome> {
  const edited = await applyEdit(context.workspace, edit);
  if ('error' in edited) return stepFailure(`The scenario's edit does not fit: ${edited.error}`);
  context.write({ type: 'file-change', path: edit.path, change: edited.change });
  return ON;
}

async function performRun({ command, expect }: StepOf<'run'>, context: StepContext): Promise<StepOutcome> {
  const id = context.world.token();
  context.write({ type: 'tool-call', id, name: 'run', input: { command } });
  const result = await runInContext(context, ['/bin/sh', '-c', command]);
  const tail = tailOfLines();
  tail.add(result.stdout.toString('utf8').trimEnd());
  tail.add(result.stderr);
  const passed = result.code === 0;
  context.write({ type: 'tool-result', id, output: tail.text(), isError: !passed });
  if (expect === 'any' || (expect === 'pass') === passed) return ON;
  return stepFailure(
    `Expected "${command}" to ${expect}, and it ended with ${result.code ?? result.signal}`,
    tail.text(),
  );
}

/** Calls a tool of the attempt as any program of it can: with the program that its tools file names. */
async function performTool({ tool, expect }: StepOf<'tool'>, context: StepContext): Promise<StepOutcome> {
  const id = context.world.token();
  context.write({ type: 'tool-call', id, name: tool.name, input: tool.with });
  const file = context.env.MANYHANDS_TOOLS;
  if (file === undefined) return stepFailure('The settings give agents no tools (tools.coordination)');
  const { command } = ToolsFile.parse(JSON.parse(await readFile(file, 'utf8')));
  const result = await runInContext(context, [...command, file, tool.name, JSON.stringify(tool.with)]);
  const output = `${result.stdout.toString('utf8')}${result.stderr}`.trim();
  const passed = result.code === 0;
  context.write({ type: 'tool-result', id, output, isError: !passed });
  if (expect === 'any' || (expect === 'pass') === passed) return ON;
  return stepFailure(`Expected the tool ${tool.name} to ${expect}`, output);
}

function failureOf({ failure }: StepOf<'fail'>, context: StepContext): Failure {
  const { kind, message, resetInSeconds } = failure;
  return {
    kind,
    message: message ?? `Rehearsed failure: ${kind}`,
    ...(resetInSeconds === undefined ? {} : { resetAt: context.world.now() + resetInSeconds * 1000 }),
  };
}

async function performCommit(message: string, context: StepContext): Promise<StepOutcome> {
  for (const command of [
    ['git', 'add', '--all'],
    ['git', 'commit', '--quiet', `--message=${message}`],
  ]) {
    const { code, stdout, stderr } = await runInContext(context, command);
    if (code !== 0)
      return stepFailure(`${command.slice(0, 2).join(' ')} failed`, `${stdout.toString('utf8')}${stderr}`.trim());
  }
  return ON;
}

/** Files are read byte by byte (latin1), so that binary content is unchanged. */
async function performResolve(how: Resolution, context: StepContext): Promise<StepOutcome> {
  const found = await runInContext(context, ['git', 'grep', '-l', '-z', '--untracked', '-e', '^<<<<<<<']);
  if (found.code !== 0 && found.code !== 1) return stepFailure('git grep failed', found.stderr.trim());
  for (const path of new Set(found.stdout.toString('utf8').split('\0'))) {
    const file = path === '' ? undefined : await pathInside(context.workspace, path);
    if (file === undefined) continue;
    const before = await readFile(file, 'latin1');
    const after = settleConflicts(before, how);
    if (after === before) continue;
    await writeFile(file, after, 'latin1');
    context.write({ type: 'file-change', path, change: 'modified' });
  }
  return ON;
}

function stepFailure(message: string, evidence = ''): StepOutcome {
  return { next: 'fail', failure: { kind: 'implementation', message, ...(evidence === '' ? {} : { evidence }) } };
}

/** The text with every complete conflict resolved; text that only resembles a marker is unchanged. */
export function settleConflicts(text: string, how: Resolution): string {
  const settled: string[] = [];
  let hunk: Hunk | undefined;
  for (const line of text.split(/(?<=\n)/)) {
    if (BEGIN.test(line)) {
      settled.push(...(hunk?.raw ?? []));
      hunk = { side: 'ours', raw: [line], ours: [], theirs: [] };
    } else if (hunk === undefined) {
      settled.push(line);
    } else if (END.test(line) && hunk.side === 'theirs') {
      settled.push(...(how === 'theirs' ? [] : hunk.ours), ...(how === 'ours' ? [] : hunk.theirs));
      hunk = undefined;
    } else {
      read(hunk, line);
    }
  }
  return [...settled, ...(hunk?.raw ?? [])].join('');
}

function read(hunk: Hunk, line: string): void {
  hunk.raw.push(line);
  if (BASE.test(line) && hunk.side === 'ours') hunk.side = 'base';
  else if (MIDDLE.test(line) && hunk.side !== 'theirs') hunk.side = 'theirs';
  else if (hunk.side !== 'base') hunk[hunk.side].push(line);
}

/** Applies one edit in the workspace; one that does not match the file changes nothing. */
async function applyEdit(workspace: string, edit: Edit): Promise<Edited> {
  const file = await pathInside(workspace, edit.path);
  if (file === undefined) return { error: `${edit.path} is outside the workspace` };
  if (edit.delete === true) return remove(file, edit.path);
  const before = await readIfExists(file);
  if (edit.find !== undefined) return replaceOnce(file, before, edit);
  await mkdir(dirname(file), { recursive: true });
  if (edit.append !== undefined) await appendFile(file, edit.append);
  else await writeFile(file, edit.write ?? '');
  return { change: before === undefined ? 'added' : 'modified' };
}

async function remove(file: string, path: string): Promise<Edited> {
  try {
    await rm(file, { recursive: true });
    return { change: 'deleted' };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { error: `${path} does not exist, so it cannot be deleted` };
  }
}

async function replaceOnce(file: string, before: string | undefined, edit: Edit): Promise<Edited> {
  const [head, tail, ...more] = before?.split(edit.find ?? '') ?? [];
  if (before === undefined) return { error: `${edit.path} does not exist` };
  if (head === undefined || tail === undefined)
    return { error: `${edit.path} does not contain ${JSON.stringify(edit.find)}` };
  if (more.length > 0) {
    return { error: `${edit.path} contains ${JSON.stringify(edit.find)} ${more.length + 1} times; make it longer` };
  }
  await writeFile(file, head + (edit.replace ?? '') + tail);
  return { change: 'modified' };
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs a program in the workspace to its end. */
function runInContext(context: StepContext, command: readonly string[]): Promise<RunResult> {
  return run(command, { cwd: context.workspace, env: context.env, timeoutMs: RUN_TIMEOUT_MS });
}
