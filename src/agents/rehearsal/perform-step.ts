import { readFile, writeFile } from 'node:fs/promises';
import type { Failure } from '../../schema/failure.ts';
import { pathInside } from '../path-inside.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { applyEdit } from './edit.ts';
import type { Resolution, Step } from './scenario-step.ts';
import { settleConflicts } from './settle-conflicts.ts';
import { runInContext, type Stage } from './step-context.ts';

/** How it goes on after a step. */
export type StepOutcome =
  | { next: 'on' }
  | { next: 'output'; output: unknown }
  | { next: 'fail'; failure: Failure }
  | { next: 'leave'; code: number };

type StepOf<Name extends Step['step']> = Extract<Step, { step: Name }>;

const ON: StepOutcome = { next: 'on' };

/** Plays one step for real; a step that does not fit what is there fails with the reason. */
export async function performStep(step: Step, stage: Stage): Promise<StepOutcome> {
  switch (step.step) {
    case 'say':
      stage.tell({ type: 'text', text: step.text });
      return ON;
    case 'think':
      stage.tell({ type: 'reasoning', text: step.text });
      return ON;
    case 'edit':
      return playEdit(step, stage);
    case 'run':
      return playRun(step, stage);
    case 'output':
      return { next: 'output', output: step.output };
    case 'fail':
      return { next: 'fail', failure: failureOf(step, stage) };
    case 'use':
      stage.tell({ type: 'usage', usage: { kind: 'known', ...step.usage, cachedTokens: 0, turns: 1 } });
      return ON;
    case 'sleep':
      await stage.world.sleep(step.ms);
      return ON;
    case 'commit':
      return playCommit(step.text, stage);
    case 'exit':
      return { next: 'leave', code: step.code };
    case 'resolve':
      return playResolve(step.how, stage);
  }
}

async function playEdit({ edit }: StepOf<'edit'>, stage: Stage): Promise<StepOutcome> {
  const edited = await applyEdit(stage.workspace, edit);
  if ('mistake' in edited) return mistake(`The scenario's edit does not fit: ${edited.mistake}`);
  stage.tell({ type: 'file-change', path: edit.path, change: edited.change });
  return ON;
}

async function playRun({ command, expect }: StepOf<'run'>, stage: Stage): Promise<StepOutcome> {
  const id = stage.world.token();
  stage.tell({ type: 'tool-call', id, name: 'run', input: { command } });
  const result = await runInContext(stage, ['/bin/sh', '-c', command]);
  const tail = tailOfLines();
  tail.add(result.stdout.toString('utf8').trimEnd());
  tail.add(result.stderr);
  const passed = result.code === 0;
  stage.tell({ type: 'tool-result', id, output: tail.text(), isError: !passed });
  if (expect === 'any' || (expect === 'pass') === passed) return ON;
  return mistake(`Expected "${command}" to ${expect}, and it ended with ${result.code ?? result.signal}`, tail.text());
}

function failureOf({ failure }: StepOf<'fail'>, stage: Stage): Failure {
  const { kind, message, resetInSeconds } = failure;
  return {
    kind,
    message: message ?? `Rehearsed failure: ${kind}`,
    ...(resetInSeconds === undefined ? {} : { resetAt: stage.world.now() + resetInSeconds * 1000 }),
  };
}

async function playCommit(message: string, stage: Stage): Promise<StepOutcome> {
  for (const command of [
    ['git', 'add', '--all'],
    ['git', 'commit', '--quiet', `--message=${message}`],
  ]) {
    const { code, stdout, stderr } = await runInContext(stage, command);
    if (code !== 0)
      return mistake(`${command.slice(0, 2).join(' ')} failed`, `${stdout.toString('utf8')}${stderr}`.trim());
  }
  return ON;
}

/** Files are read byte by byte (latin1), so that what is no text in them stays as it was. */
async function playResolve(how: Resolution, stage: Stage): Promise<StepOutcome> {
  const found = await runInContext(stage, ['git', 'grep', '-l', '-z', '--untracked', '-e', '^<<<<<<<']);
  if (found.code !== 0 && found.code !== 1) return mistake('git grep failed', found.stderr.trim());
  for (const path of new Set(found.stdout.toString('utf8').split('\0'))) {
    const file = path === '' ? undefined : await pathInside(stage.workspace, path);
    if (file === undefined) continue;
    const before = await readFile(file, 'latin1');
    const after = settleConflicts(before, how);
    if (after === before) continue;
    await writeFile(file, after, 'latin1');
    stage.tell({ type: 'file-change', path, change: 'modified' });
  }
  return ON;
}

function mistake(message: string, evidence = ''): StepOutcome {
  return { next: 'fail', failure: { kind: 'implementation', message, ...(evidence === '' ? {} : { evidence }) } };
}
