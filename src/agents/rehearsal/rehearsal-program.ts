import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';
import { realWorld, type World } from '../../world.ts';
import { findScript } from './attempt-info.ts';
import { improvise, type UnscriptedAttempt } from './improvise.ts';
import { listedPoints, type Point } from './listed-points.ts';
import { performStep, type StepContext } from './perform-step.ts';
import type { RehearsalLine } from './rehearsal-input.ts';
import { INPUT_VARIABLE, RehearsalInput } from './rehearsal-input.ts';
import { loadScenario } from './scenario.ts';
import type { Step } from './scenario-step.ts';

/** What the rehearsal program reads from a prompt: its first heading, the first line under `## Goal`, the steps to verify. */
interface PromptFacts {
  title: string;
  goal: string;
  /** The number of steps to verify. */
  steps: number;
  /** The open points of a to-do list. */
  points: Point[];
}

type Environment = Record<string, string>;

/** Performs one attempt in the current directory and reports it as JSON lines; returns the exit code. */
async function runAttempt(env: Environment, world: World): Promise<number> {
  const context: StepContext = { workspace: process.cwd(), env, world, write: writeLine };
  try {
    const input = RehearsalInput.parse(JSON.parse(env[INPUT_VARIABLE] ?? 'null'));
    writeLine({ type: 'session', id: input.session ?? `rehearsal-${env.MANYHANDS_ATTEMPT ?? world.token()}` });
    return await performAll(stepsFor(input, env), context);
  } catch (error) {
    return fail({ kind: error instanceof AppError ? 'environment' : 'crashed', message: messageOf(error) });
  }
}

function stepsFor(input: RehearsalInput, env: Environment): Step[] {
  const { title, goal, steps, points } = promptFacts(readFileSync(env.MANYHANDS_PROMPT_FILE ?? '', 'utf8'));
  const attempt: UnscriptedAttempt = {
    agent: input.agent,
    role: env.MANYHANDS_ROLE ?? '',
    task: env.MANYHANDS_TASK ?? '',
    attempt: Number(env.MANYHANDS_ATTEMPT_NUMBER ?? 1),
    title,
    goal,
    steps,
    points,
    access: input.access,
    allow: input.allow,
    ...(input.outputSchema === undefined ? {} : { outputSchema: input.outputSchema }),
  };
  const scenario = input.scenario === undefined ? undefined : loadScenario(input.scenario);
  const script = scenario === undefined ? undefined : findScript(scenario, attempt);
  return script?.steps ?? improvise(attempt);
}

async function performAll(steps: Step[], context: StepContext): Promise<number> {
  let text = '';
  let result: { output?: unknown } = {};
  for (const step of steps) {
    if (step.step === 'say') text = step.text;
    const outcome = await performStep(step, context);
    if (outcome.next === 'fail') return fail(outcome.failure);
    if (outcome.next === 'leave' && outcome.code !== 0) return outcome.code;
    if (outcome.next === 'leave') break;
    if (outcome.next === 'output') result = { output: outcome.output };
  }
  writeLine({ type: 'result', isError: false, text, ...result });
  return 0;
}

function fail(failure: Extract<RehearsalLine, { type: 'failure' }>['failure']): number {
  writeLine({ type: 'failure', failure });
  process.stderr.write(`${failure.message}\n`);
  return 1;
}

function writeLine(line: RehearsalLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function definedVariables(): Environment {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

void runAttempt(definedVariables(), realWorld).then((code) => {
  process.exitCode = code;
});

/** Reads the facts of a prompt; without a heading the first line is the title, without a goal the title is the goal. */
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
