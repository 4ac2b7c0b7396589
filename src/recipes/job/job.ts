import { requiredFailures } from '../../core/finish/verdict.ts';
import { limitsOfStop } from '../../core/run/changed-settings.ts';
import { openTasks, type RunState, type TaskState } from '../../core/run/state.ts';
import { withoutChange } from '../../gates/gate-kinds.ts';
import { promptText } from '../../roles/prompt.ts';
import { JobInput, type StartOptions } from '../../schema/request.ts';
import type { TaskSpec } from '../../schema/task.ts';
import type { Template } from '../../schema/template.ts';
import { acceptingRedBase, describeEvidence, redBaseHold, redOnBase } from '../base-red.ts';
import { debateDocument } from '../debate/debate.ts';
import { type DebateStep, nextDebateStep } from '../debate/debate-rounds.ts';
import { refusePoints } from '../points.ts';
import type { Recipe, References, Unfolding } from '../recipe.ts';
import { nextRound } from '../review-rounds.ts';
import { oneLine, scopeGatesOf, taskSpec } from '../task-spec.ts';

const NOTHING_NEW: Unfolding = { add: [] };
const OUTCOME_CHARS = 20_000;
const KEY = /^job\/(\d+)$/;

/**
 * One task for one agent: it changes code and lands, or (with a reading role) its answer is the result. A repeated job
 * is one run: the end of `job/1` adds `job/2` at a time that follows from that end alone, so that no restart doubles
 * or loses one.
 */
export const job: Recipe<JobInput> = acceptingRedBase({
  name: 'job',
  version: 1,
  input: JobInput,
  form: {
    title: 'Job',
    summary: 'One task for one agent, now or at a time, once or repeatedly.',
    file: false,
    command: {
      name: 'job',
      text: 'task',
      flags: {
        role: '--role {}',
        write: '--write',
        after: '--after {}',
        priority: '--priority {}',
        'stop.turns': '--stop turns={}',
        'stop.budget': '--stop budget={}',
        'stop.seconds': '--stop time={}s',
        'stop.silenceSeconds': '--stop silence={}s',
        'stop.completion': '--stop completion',
        'scope.allow': '--scope-allow {}',
        'scope.deny': '--scope-deny {}',
        'scope.maxChangedLines': '--max-diff-lines {}',
        outputBytes: '--output-limit {}',
        retry: '--retry {}',
        tier: '--tier {}',
        template: '--template {}',
        context: '--context {key}={}',
        notBefore: '--at {time}',
        'repeat.everyMs': '--every {duration}',
        'repeat.times': '--times {}',
        debate: '--debate {}',
        review: '--review',
        interactive: '--interactive',
      },
    },
  },
  usesTemplates: true,
  title: (input) => oneLine(input.task),
  prepare,
  needsTerminal: ({ interactive }) => interactive === true,
  roles: ({ role }) => (role === undefined ? [] : [role]),
  isReadOnly: (input) => !writes(input),
  acceptsFolder: (input) => !writes(input),
  defaults: (_config, input) => (input.repeat === undefined ? {} : { landEach: true }),
  accept: (task, output) => (task.spec.role === 'debate' ? refusePoints(output) : undefined),
  unfold: (run, input, ended) => {
    if (run.tasks['job/1'] === undefined) return openTasks(run) > 0 ? NOTHING_NEW : begin(run, input);
    if (input.review === true && openTasks(run) === 0 && requiredFailures(run).length === 0)
      return reviewOf(run, ended);
    return ended === undefined ? NOTHING_NEW : again(run, input, ended);
  },
});

/** The template's guidelines and defaults are recorded with the run, and the runs it comes after by their full ids. */
async function prepare(request: JobRequest, references: References): Promise<JobRequest> {
  const { template } = request.input;
  const { input, options } =
    template === undefined ? request : withTemplate(request, await references.template(template));
  return { input: { ...input, after: input.after.map((reference) => references.run(reference)) }, options };
}

/** The work as another agent reviews it; a job that changed nothing has nothing to review. */
function reviewOf(run: RunState, ended: TaskState | undefined): Unfolding {
  const { base, config } = run.start;
  if (ended === undefined || run.tip.commit === base.commit) return NOTHING_NEW;
  const most = Math.max(1, config.review.rounds);
  const title = 'Review the work';
  return nextRound(run, {
    most,
    since: base.commit,
    title,
    pullRequest: '',
    reviewsResult: true,
    avoidsAgentOf: 'job/1',
  });
}

/** The result of the debate of two agents before the work begins; undefined where no debate was requested. */
function debateBefore(run: RunState, { task, debate }: JobInput): DebateStep | undefined {
  if (debate === undefined) return undefined;
  return nextDebateStep(run, { prefix: 'debate/1', question: task, sides: 2, rounds: debate });
}

function begin(run: RunState, requested: JobInput): Unfolding {
  const step = debateBefore(run, requested);
  if (step?.do === 'add') return { add: step.add };
  if (step !== undefined && step.do !== 'end') return NOTHING_NEW;
  const debated =
    step === undefined
      ? {}
      : { 'Result of the debate': debateDocument(requested.task, step.outcome).slice(0, OUTCOME_CHARS) };
  const input = { ...requested, context: { ...requested.context, ...debated } };
  const red = writes(input) ? redOnBase(run) : [];
  const add = [
    specOf(run, input, {
      number: 1,
      redChecks: describeEvidence(red),
      ...(input.notBefore === undefined ? {} : { notBefore: input.notBefore }),
      ...(input.after.length === 0 ? {} : { after: input.after }),
    }),
  ];
  return { add, ...redBaseHold(run, red) };
}

/** What changed code must have reached the base, where each time does, before it is changed again. */
function again(run: RunState, input: JobInput, { spec, phase }: TaskState): Unfolding {
  const { repeat } = input;
  const last = KEY.exec(spec.key)?.[1];
  if (repeat === undefined || last === undefined || phase.status !== 'done') return { add: [] };
  const number = Number(last) + 1;
  if (number > Math.min(repeat.times ?? number, run.start.maxIterations ?? number)) return { add: [] };
  const afterLanding = run.start.landEach === true && phase.commit !== null ? { afterLanding: true } : {};
  return { add: [specOf(run, input, { number, notBefore: phase.at + repeat.everyMs, ...afterLanding })] };
}

type Repetition = { number: number; redChecks?: string } & Pick<TaskSpec, 'notBefore' | 'after' | 'afterLanding'>;

function specOf(run: RunState, input: JobInput, { number, redChecks = '', ...time }: Repetition): TaskSpec {
  const task = taskSpec(run.start.config, {
    key: `job/${number}`,
    title: oneLine(input.task),
    role: input.role ?? 'implement',
    access: writes(input) ? 'write' : 'read',
    prompt: jobPrompt(input, redChecks),
    priority: input.priority,
    ...(input.tier === undefined ? {} : { tier: input.tier }),
    ...(input.interactive === true ? { interactive: true } : {}),
    ...time,
    ...(time.notBefore === undefined && time.after === undefined ? {} : { fresh: true }),
  });
  return withStop({ ...task, gates: gatesOf(task, input), retry: { ...task.retry, policy: input.retry } }, input);
}

/** The prompt of a job: guidelines, task and context, each verbatim, then the checks that are already red. */
export function jobPrompt(
  { task, guidelines = '', context }: Pick<JobInput, 'task' | 'guidelines' | 'context'>,
  redChecks = '',
): string {
  const facts = Object.entries(context).map(factText).join('\n\n');
  return promptText('recipes/job/do-job', { guidelines, task, context: facts, redChecks });
}

/** A value of several lines begins below its name, so that its lines stay whole. */
function factText([key, value]: [string, string]): string {
  return value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`;
}

function writes({ role, write }: JobInput): boolean {
  return role === undefined || write;
}

/** With a role and --write something may change, but nothing must; a scope of its own narrows that of the settings. */
function gatesOf(task: TaskSpec, input: JobInput): TaskSpec['gates'] {
  if (task.access !== 'write') return task.gates;
  const gates = input.role === undefined ? task.gates : withoutChange(task.gates);
  return [...gates, ...(input.scope === undefined ? [] : scopeGatesOf(input.scope))];
}

function withStop(task: TaskSpec, { stop, outputBytes }: JobInput): TaskSpec {
  return {
    ...task,
    limits: {
      ...task.limits,
      ...limitsOfStop(stop),
      ...(outputBytes === undefined ? {} : { outputBytes }),
    },
  };
}

type JobRequest = { input: JobInput; options: StartOptions };

/** A request for a job with the defaults of its template; the request takes precedence, and the checks of both apply. */
export function withTemplate({ input, options }: JobRequest, template: Template): JobRequest {
  const { agent, tier, role, budget, checks, text } = template;
  const requestedRole = input.role ?? role;
  return {
    input: {
      ...input,
      guidelines: input.guidelines === undefined ? text : `${text}\n\n${input.guidelines}`,
      ...(requestedRole === undefined ? {} : { role: requestedRole }),
      write: input.write || (input.role === undefined && template.write === true),
      ...(input.tier !== undefined || tier === undefined ? {} : { tier }),
    },
    options: {
      ...options,
      checks: [...options.checks, ...checks.filter((check) => !options.checks.includes(check))],
      agents: options.agents.length > 0 || agent === undefined ? options.agents : [agent],
      ...(options.budget !== undefined || budget === undefined ? {} : { budget }),
    },
  };
}
