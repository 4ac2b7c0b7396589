import type { RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { CycleInput } from '../../schema/request.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { taskSpec } from '../task-spec.ts';
import { planGates, planKey } from './cycle-plan.ts';
import type { Cycle, CycleProgress, Milestone } from './cycle-progress.ts';

/** Attempts at one implementation: the first and two repairs, each with a heavier model where there is one. */
const ATTEMPTS = 3;
/** How much of a text that an agent wrote a prompt repeats; prompts do not grow with the number of cycles. */
const MOST_FINDINGS = 20;
const FINDING_CHARS = 600;
const DESCRIPTION_CHARS = 1_500;
const REPORT_CHARS = 5_000;

/** The task that assesses the repository and plans milestones. */
export function assessTask(run: RunState, { goal }: CycleInput): TaskSpec {
  return taskSpec(run.start.config, {
    key: planKey(1),
    title: 'Assess the repository and plan milestones',
    role: 'assess',
    access: 'read',
    prompt: goal,
  });
}

/** Another plan, after the reason why the last one does not lead further; what was reached is not planned again. */
export function replanTask(
  run: RunState,
  { plan, milestones, cycles }: CycleProgress,
  { key, input, why }: { key: string; input: CycleInput; why: string },
): TaskSpec {
  return taskSpec(run.start.config, {
    key,
    title: 'Plan the open milestones again',
    role: 'assess',
    access: 'read',
    continues: plan.key,
    because: why,
    prompt: promptText('recipes/cycle/replan', {
      goal: input.goal,
      why,
      milestones: listOf(milestones),
      findings: findingsText(cycles.at(-1)),
    }),
  });
}

/** The task that works on the open milestones, the first one first. */
export function implementTask(
  run: RunState,
  { plan, milestones, cycles }: CycleProgress,
  { cycle, report }: { cycle: number; report: string },
): TaskSpec {
  const target = milestones.find(({ tick }) => tick === null);
  const last = cycles.at(-1);
  const spec = taskSpec(run.start.config, {
    key: `cycle/${cycle}/implement`,
    title: target === undefined ? `Cycle ${cycle}: fix what the verification found` : `Cycle ${cycle}: ${target.title}`,
    role: 'implement',
    access: 'write',
    optional: true,
    escalates: true,
    prompt: promptText('recipes/cycle/implement-milestones', {
      target: target === undefined ? '' : `${target.id}: ${target.title}\n\n${target.description}`,
      milestones: listOf(milestones),
      rules: plan.plan.contract.rules.map((rule) => `- ${rule}`).join('\n'),
      findings: last?.generation === plan.generation ? findingsText(last) : '',
      report: report.slice(0, REPORT_CHARS),
      since: last === undefined ? '' : run.start.base.commit,
    }),
  });
  return {
    ...spec,
    gates: [...spec.gates, ...planGates(plan.plan)],
    retry: { ...spec.retry, attempts: Math.min(spec.retry.attempts, ATTEMPTS) },
  };
}

/** The task that finds out which milestones are reached, by another agent than the implementer where there is one. */
export function reviewTask(run: RunState, { milestones }: CycleProgress, { number, implement }: Cycle): TaskSpec {
  return taskSpec(run.start.config, {
    key: `cycle/${number}/review`,
    title: `Cycle ${number}: review the milestones`,
    role: 'milestones',
    access: 'read',
    optional: true,
    avoidsAgentOf: implement.spec.key,
    prompt: promptText('recipes/cycle/review-milestones', {
      since: implement.attempts.at(-1)?.base ?? run.start.base.commit,
      milestones: milestones
        .map((milestone, index) => `STEP ${index + 1}: ${stepOf(milestone, implement)}`)
        .join('\n\n'),
    }),
  });
}

/** The task that verifies the whole result step by step, with the application running where it can be started. */
export function verifyTask(
  run: RunState,
  { goal }: CycleInput,
  { cycle, steps }: { cycle: Cycle; steps: readonly string[] },
): TaskSpec {
  const { verify } = run.start.config;
  const spec = taskSpec(run.start.config, {
    key: `cycle/${cycle.number}/verify`,
    title: 'Verify the whole result',
    role: 'verify',
    access: 'read',
    optional: true,
    avoidsAgentOf: cycle.implement.spec.key,
    prompt: promptText('recipes/features/verify-feature', {
      id: 'goal',
      name: goal,
      description: '',
      steps: steps.map((step, index) => `STEP ${index + 1}: ${step}`).join('\n'),
      appUrl: verify.appUrl?.includes('{port}') ? '' : (verify.appUrl ?? ''),
    }),
    ...(verify.agent === undefined ? {} : { agent: verify.agent }),
    ...(verify.start === undefined
      ? {}
      : {
          serve: {
            run: verify.start,
            readyMs: verify.startSeconds * 1000,
            url: verify.appUrl?.includes('{port}') ? verify.appUrl : 'http://127.0.0.1:{port}',
          },
        }),
  });
  return { ...spec, limits: { ...spec.limits, turns: verify.turns } };
}

function listOf(milestones: readonly Milestone[]): string {
  return milestones
    .map(
      ({ id, title, size, tick }) =>
        `- [${tick === null ? ' ' : 'x'}] ${id}: ${title}${size === undefined ? '' : ` [${size}]`}`,
    )
    .join('\n');
}

/** A milestone as its reviewer gets it, with the result of its check on the merged tree. */
function stepOf({ id, title, description, check }: Milestone, implement: Cycle['implement']): string {
  const found = implement.evidence.find(({ gate }) => gate === `milestone ${id}`);
  return promptText('recipes/cycle/milestone-step', {
    title,
    description: description.slice(0, DESCRIPTION_CHARS),
    check: check ?? '',
    verdict: found?.verdict ?? 'not run',
  });
}

/** What the last review found and nothing has fixed yet. */
function findingsText(cycle: Cycle | undefined): string {
  const open = (cycle?.findings ?? []).slice(0, MOST_FINDINGS);
  return open
    .map(({ severity, title, description, file, line }) => {
      const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
      return `- ${severity}: ${title}${place}: ${description}`.slice(0, FINDING_CHARS);
    })
    .join('\n');
}
