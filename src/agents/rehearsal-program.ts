import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../errors.ts';
import { realWorld, type World } from '../world.ts';
import { findPlay } from './rehearsal/cast.ts';
import { improvise, type Part } from './rehearsal/improvise.ts';
import type { RehearsalLine } from './rehearsal/line.ts';
import { ORDER_VARIABLE, RehearsalOrder } from './rehearsal/order.ts';
import { playStep } from './rehearsal/play-step.ts';
import { promptFacts } from './rehearsal/prompt-facts.ts';
import type { Stage } from './rehearsal/stage.ts';
import { loadScenario } from './scenario.ts';
import type { Step } from './scenario-step.ts';

type Environment = Record<string, string>;

/** Plays one attempt in the current directory and tells it as JSON lines; returns the exit code. */
async function rehearse(env: Environment, world: World): Promise<number> {
  const stage: Stage = { workspace: process.cwd(), env, world, tell };
  try {
    const order = RehearsalOrder.parse(JSON.parse(env[ORDER_VARIABLE] ?? 'null'));
    tell({ type: 'session', id: order.session ?? `rehearsal-${env.MANYHANDS_ATTEMPT ?? world.token()}` });
    return await playAll(stepsFor(order, env), stage);
  } catch (error) {
    return fail({ kind: error instanceof AppError ? 'environment' : 'crashed', message: messageOf(error) });
  }
}

function stepsFor(order: RehearsalOrder, env: Environment): Step[] {
  const { title, goal, steps, points } = promptFacts(readFileSync(env.MANYHANDS_PROMPT_FILE ?? '', 'utf8'));
  const part: Part = {
    agent: order.agent,
    role: env.MANYHANDS_ROLE ?? '',
    task: env.MANYHANDS_TASK ?? '',
    attempt: Number(env.MANYHANDS_ATTEMPT_NUMBER ?? 1),
    title,
    goal,
    steps,
    points,
    access: order.access,
    allow: order.allow,
    ...(order.outputSchema === undefined ? {} : { outputSchema: order.outputSchema }),
  };
  const scenario = order.scenario === undefined ? undefined : loadScenario(order.scenario);
  const play = scenario === undefined ? undefined : findPlay(scenario, part);
  return play?.steps ?? improvise(part);
}

async function playAll(steps: Step[], stage: Stage): Promise<number> {
  let text = '';
  let result: { output?: unknown } = {};
  for (const step of steps) {
    if (step.step === 'say') text = step.text;
    const outcome = await playStep(step, stage);
    if (outcome.next === 'fail') return fail(outcome.failure);
    if (outcome.next === 'leave' && outcome.code !== 0) return outcome.code;
    if (outcome.next === 'leave') break;
    if (outcome.next === 'output') result = { output: outcome.output };
  }
  tell({ type: 'result', isError: false, text, ...result });
  return 0;
}

function fail(failure: Extract<RehearsalLine, { type: 'failure' }>['failure']): number {
  tell({ type: 'failure', failure });
  process.stderr.write(`${failure.message}\n`);
  return 1;
}

function tell(line: RehearsalLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function definedVariables(): Environment {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

process.exitCode = await rehearse(definedVariables(), realWorld);
