import { endAttempt, startAttempt } from '../src/core/attempt/decide-attempt.ts';
import { completeLanding } from '../src/core/land/decide-landing.ts';
import { addTasks } from '../src/core/run/add-tasks.ts';
import { evolve } from '../src/core/run/evolve.ts';
import type { RunState } from '../src/core/run/state.ts';
import type { HostInput } from '../src/core/schedule/hosts.ts';
import { type Intent, next } from '../src/core/schedule/schedule-next.ts';
import type { SchedulingInput } from '../src/core/schedule/tally.ts';
import { Config } from '../src/schema/config.ts';
import type { RunEvent } from '../src/schema/event.ts';
import { TaskSpec } from '../src/schema/task.ts';
import { randomFrom } from '../test/support/random-from.ts';
import type { Benchmark } from './benchmark.ts';
import { median } from './timing.ts';

/** A simulated installation; everything grows with its hosts. */
type Size = { hosts: number; runs: number; tasksPerRun: number };
type Live = { run: RunState; task: string; host: string };
type Result = { decisionMs: number; startMs: number; jain: number; fewestStarts: number; live: number; open: number };

const SLOTS = 20;
const SMALL: Size = { hosts: 100, runs: 100, tasksPerRun: 1_000 };
const LARGE: Size = { hosts: 1_000, runs: 1_000, tasksPerRun: 1_000 };
const QUICK: Size = { hosts: 300, runs: 300, tasksPerRun: 300 };
/** One in this many attempts has ended before each decision. */
const ENDED = 100;
const DECISIONS = 30;
const NOW = 1_000_000;
const AGENTS = ['one', 'two', 'three'];
const LEAST_JAIN = 0.95;
const CONFIG = Config.parse({ routing: { order: AGENTS }, limits: { agents: 150, runAttempts: 100_000 } });
const SPEC = TaskSpec.parse({
  key: 'implement/1.0',
  title: 'A task',
  role: 'implement',
  prompt: 'Do it',
  access: 'write',
  needs: [],
  retry: {},
  limits: {},
});

/** Whether the decision what starts where grows with the installation, and no faster; and whether it is fair. */
export const fleet: Benchmark = {
  name: 'fleet',
  summary: `a decision for ${LARGE.hosts} hosts, ${LARGE.hosts * SLOTS} live attempts, ${LARGE.runs} runs and ${LARGE.runs * LARGE.tasksPerRun} open tasks, against a tenth of each`,
  target: { is: 'at most', ratio: 12 },
  async measure(isQuick) {
    const small = simulate(SMALL);
    const large = simulate(isQuick ? QUICK : LARGE);
    for (const { jain, fewestStarts } of [small, large]) {
      if (jain < LEAST_JAIN) throw new Error(`Jain's index between projects is ${jain.toFixed(3)}`);
      if (fewestStarts === 0) throw new Error('a run never started a task');
    }
    const text = ({ jain, fewestStarts, live, open, startMs }: Result) =>
      `${live} live, ${open} open, ${(startMs * 1_000).toFixed(0)} µs for each start, Jain's index ${jain.toFixed(3)} between projects, at least ${fewestStarts} starts of each run`;
    return {
      value: large.decisionMs,
      unit: 'ms',
      ceiling: small.decisionMs,
      ratio: large.decisionMs / small.decisionMs,
      note: `processor time; one in ${ENDED} attempts ended before each decision; ${text(large)}; against ${text(small)}`,
    };
  },
};

/** Fills every slot, then lets attempts end and decides, again and again. */
function simulate(size: Size): Result {
  const runs = Array.from({ length: size.runs }, (_, index) => begin(index, size));
  const byId = new Map(runs.map((run) => [run.start.run, run]));
  const hosts = Array.from({ length: size.hosts }, (_, index) => hostAt(index));
  const live: Live[] = [];
  const starts = new Map<string, number>();
  const free = new Map(hosts.map(({ name }) => [name, SLOTS]));
  const random = randomFrom(size.hosts);
  const times: number[] = [];
  let started = 0;
  for (let decision = 0; decision <= DECISIONS; decision += 1) {
    for (let ended = decision === 0 ? 0 : live.length / ENDED; ended >= 1; ended -= 1) {
      const [one] = live.splice(Math.floor(random() * live.length), 1);
      if (one !== undefined) end(one, free);
    }
    const input = inputOf(hosts, { free, live });
    const before = process.cpuUsage();
    const { intents } = next(runs, input);
    const { user, system } = process.cpuUsage(before);
    if (decision > 0) times.push((user + system) / 1_000);
    const attempts = intents.filter((intent) => intent.do === 'attempt');
    if (decision > 0) started += attempts.length;
    for (const intent of intents) perform(byId, intent, { live, free, starts });
  }
  const open = runs.reduce((sum, { counts, tasks }) => sum + Object.keys(tasks).length - counts.done, 0);
  const counts = runs.map(({ start }) => starts.get(start.run) ?? 0);
  return {
    decisionMs: median(times),
    startMs: times.reduce((sum, time) => sum + time, 0) / started,
    jain: jainIndex(byProject(runs, starts)),
    fewestStarts: Math.min(...counts),
    live: live.length,
    open,
  };
}

/** Projects have from one to nine runs: the share of a project must not grow with them. */
function begin(index: number, { tasksPerRun }: Size): RunState {
  const id = `r${String(index).padStart(7, '0')}`;
  const project = `project-${Math.floor(index / 45)}-${Math.floor(Math.sqrt(2 * (index % 45) + 0.25) - 0.5)}`;
  const state = evolve(undefined, {
    event: {
      type: 'run.started',
      data: {
        run: id,
        title: id,
        project: { id: project, root: `/${project}` },
        recipe: { name: 'goal', version: 1 },
        input: {},
        base: { branch: 'main', commit: 'base' },
        land: 'branch',
        config: CONFIG,
        roles: {},
        agents: {},
      },
    },
    at: NOW,
  });
  const tasks = Array.from({ length: tasksPerRun }, (_, task) => ({
    ...SPEC,
    key: `implement/1.${task}`,
    ...(task % 97 === 0 ? { labels: ['gpu'] } : {}),
  }));
  record(state, addTasks(state, tasks));
  return state;
}

/** Every host has the first agent, two of three the second; every tenth has the label. */
function hostAt(index: number): HostInput {
  return {
    name: `host-${String(index).padStart(4, '0')}`,
    slots: SLOTS,
    free: SLOTS,
    agents: AGENTS.slice(0, 1 + (index % 3)),
    labels: index % 10 === 0 ? ['gpu', 'linux'] : ['linux'],
    rateLimited: index % 7 === 0 ? { two: NOW + 60_000 } : {},
  };
}

type Progress = { live: Live[]; free: Map<string, number>; starts: Map<string, number> };

function inputOf(
  hosts: readonly HostInput[],
  { free, live }: { free: Map<string, number>; live: readonly Live[] },
): SchedulingInput {
  const current = hosts.map((host) => ({ ...host, free: free.get(host.name) ?? 0 }));
  return {
    now: NOW,
    slots: Number.MAX_SAFE_INTEGER,
    availability: { rateLimited: {}, busy: { one: live.length }, maxParallel: {} },
    projects: {},
    claimed: new Set(),
    landing: new Set(),
    outside: {},
    fleet: { hosts: current },
  };
}

function perform(runs: ReadonlyMap<string, RunState>, intent: Intent, { live, free, starts }: Progress): void {
  const run = runs.get(intent.run);
  if (run === undefined) return;
  if (intent.do === 'land') {
    const commit = `tip-${run.version}`;
    record(run, completeLanding(run, { tasks: intent.tasks, from: run.tip.commit, commit, tree: commit }));
  }
  if (intent.do !== 'attempt') return;
  const { task, agent, because, reservation, host = '' } = intent;
  const left = (free.get(host) ?? 0) - 1;
  if (left < 0) throw new Error(`the host "${host}" got more attempts than it has slots`);
  free.set(host, left);
  starts.set(intent.run, (starts.get(intent.run) ?? 0) + 1);
  record(run, startAttempt(run, { task, agent, because, reservation, base: run.tip.commit }));
  live.push({ run, task, host });
}

function end({ run, task, host }: Live, free: Map<string, number>): void {
  free.set(host, (free.get(host) ?? 0) + 1);
  const saved = { ref: `refs/${task}`, commit: task, tree: task, head: task, changed: true };
  record(run, endAttempt(run, { task, attempt: 1, usage: { kind: 'none' }, summary: 'done', saved, now: NOW }));
}

function record(state: RunState, events: readonly RunEvent[]): void {
  for (const event of events) evolve(state, { event, at: NOW });
}

function byProject(runs: readonly RunState[], starts: ReadonlyMap<string, number>): number[] {
  const sums = new Map<string, number>();
  for (const { start } of runs)
    sums.set(start.project.id, (sums.get(start.project.id) ?? 0) + (starts.get(start.run) ?? 0));
  return [...sums.values()];
}

/** 1 if all are equal; 1/n if one has everything. */
function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return (sum * sum) / (values.length * squares);
}
