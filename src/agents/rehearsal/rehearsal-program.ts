import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';
import { realWorld, type World } from '../../world.ts';
import { findPlay } from './attempt-info.ts';
import { improvise, type Part } from './improvise.ts';
import { listedPoints, type Point } from './listed-points.ts';
import { performStep } from './perform-step.ts';
import { ORDER_VARIABLE, RehearsalInput } from './rehearsal-input.ts';
import type { RehearsalLine } from './rehearsal-line.ts';
import { loadScenario } from './scenario.ts';
import type { Step } from './scenario-step.ts';
import type { Stage } from './step-context.ts';

/** What the rehearsal program understands of a prompt: its first heading, the first line under `## Goal`, the steps to verify. */
interface PromptFacts {
  title: string;
  goal: string;
  /** How many steps are to be verified. */
  steps: number;
  /** What a to-do list asks for. */
  points: Point[];
}

type Environment = Record<string, string>;

/** Plays one attempt in the current directory and tells it as JSON lines; returns the exit code. */
async function rehearse(env: Environment, world: World): Promise<number> {
  const stage: Stage = { workspace: process.cwd(), env, world, tell };
  try {
    const order = RehearsalInput.parse(JSON.parse(env[ORDER_VARIABLE] ?? 'null'));
    tell({ type: 'session', id: order.session ?? `rehearsal-${env.MANYHANDS_ATTEMPT ?? world.token()}` });
    return await playAll(stepsFor(order, env), stage);
  } catch (error) {
    return fail({ kind: error instanceof AppError ? 'environment' : 'crashed', message: messageOf(error) });
  }
}

function stepsFor(order: RehearsalInput, env: Environment): Step[] {
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
    const outcome = await performStep(step, stage);
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

/** Reads them; a prompt without a heading has its first line as title, one without a goal has its title as goal. */
function promptFacts(prompt: string): PromptFacts {
  const lines = prompt.split('\n').map((line) => line.trim());
  const title =
    lines
      .find((line) => line.startsWith('# '))
      ?.slice(2)
      .trim() ??
    lines.find((line) => line !== '') ??
    '';
  const heading = lines.indexOf('## Goal');
  const goal = heading < 0 ? undefined : lines.slice(heading + 1).find((line) => line !== '');
  const steps = lines.filter((line) => /^STEP \d+: /.test(line)).length;
  return { title, goal: goal ?? title, steps, points: listedPoints(prompt) };
}
