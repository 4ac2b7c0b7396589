import { z } from 'zod';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import { type Evidence, Measure } from '../../schema/gate.ts';
import type { ImproveInput } from '../../schema/request.ts';
import { ALWAYS_TRUE } from '../cycle/cycle-plan.ts';
import { isSameFinding } from '../findings.ts';
import { issuesOf } from '../points.ts';

const Size = z.enum(['low', 'medium', 'high']);
const WEIGHT = { low: 1, medium: 2, high: 3 } as const;
const TIMEOUT_MS = 600_000;
/** Without `--top`, at most so many are improved in a round. */
const MOST_CHOSEN = 10;

/** A weak spot as discovery hands it over. */
const SpotOutput = z.object({
  title: z.string().trim().min(1).max(200),
  category: z.enum(['tests', 'speed', 'duplication', 'dependencies', 'documentation', 'other']).default('other'),
  description: z.string().trim().max(4_000).default(''),
  file: z.string().optional(),
  measure: Measure.extend({ command: z.string().trim().min(1).max(1_000) }),
  value: Size.default('medium'),
  effort: Size.default('medium'),
});
const SpotsOutput = z.object({ spots: z.array(SpotOutput).max(20), summary: z.string().default('') });

/** A weak spot: what its command showed, whether it was chosen, and what came of it. */
export type Spot = z.infer<typeof SpotOutput> & {
  id: string;
  /** What the command showed before any work; null where it showed nothing. */
  shown: number | null;
  /** Why it is not offered, if it is not. */
  dropped: string | null;
  task: TaskState | undefined;
};

/** A round: the weak spots that discovery found, the best first, and the commit that it looked at. */
export type ImproveRound = { number: number; discover: TaskState; spots: Spot[]; base: string | undefined };

/** Why discovered spots cannot be used, if so: each needs a command that shows something. */
export function refuseSpots(output: unknown): string | undefined {
  const parsed = SpotsOutput.safeParse(output);
  if (!parsed.success) return issuesOf(parsed.error);
  const index = parsed.data.spots.findIndex(({ measure }) => ALWAYS_TRUE.test(measure.command));
  const bare = parsed.data.spots[index];
  return bare === undefined
    ? undefined
    : `spots.${index}.measure.command: "${bare.measure.command}" shows the same whatever the code does`;
}

/** The rounds of a run so far. */
export function roundsOf(run: RunState): ImproveRound[] {
  const rounds: ImproveRound[] = [];
  for (let number = 1; ; number += 1) {
    const discover = run.tasks[discoverKey(number)];
    if (discover === undefined) return rounds;
    const earlier = rounds.flatMap(({ spots }) => spots);
    rounds.push({
      number,
      discover,
      spots: spotsOf(run, discover, { number, earlier }),
      base: lastAttempt(discover)?.base,
    });
  }
}

function spotsOf(
  run: RunState,
  discover: TaskState,
  { number, earlier }: { number: number; earlier: readonly Spot[] },
): Spot[] {
  if (discover.phase.status !== 'done') return [];
  const found = SpotsOutput.safeParse(lastAttempt(discover)?.ended?.output).data?.spots ?? [];
  const spots = found.map((spot, index): Spot => {
    const id = `${number}.${index + 1}`;
    const evidence = evidenceOf(discover, measureName(id));
    const known = {
      ...spot,
      id,
      shown: evidence?.measured?.before ?? null,
      dropped: null,
      task: run.tasks[`improve/${id}`],
    };
    return { ...known, dropped: droppedBecause(known, { evidence, earlier }) };
  });
  return spots.sort((a, b) => scoreOf(b) - scoreOf(a));
}

function droppedBecause(
  spot: Spot,
  { evidence, earlier }: { evidence: Evidence | undefined; earlier: readonly Spot[] },
): string | null {
  const tried = earlier.find((other) => other.task !== undefined && !isKept(other) && isSameFinding(other, spot));
  if (tried !== undefined) return `it was tried as ${tried.id} and did not help`;
  if (evidence === undefined) return null;
  if (spot.shown === null) return 'its command shows nothing that can be measured';
  return spot.measure.metric === 'exit' && spot.shown === 0 ? 'its command passes, so it shows no weakness' : null;
}

function scoreOf({ value, effort }: Spot): number {
  return 2 * WEIGHT[value] - WEIGHT[effort];
}

/** Whether its improvement landed, which it does only if it measurably helped. */
export function isKept({ task }: Spot): boolean {
  return task?.phase.status === 'done' && task.phase.commit !== null;
}

/** What its command measured when its improvement was judged last. */
export function changeOf({ id, task }: Spot): Evidence | undefined {
  return task === undefined ? undefined : evidenceOf(task, measureName(id));
}

/** The commands of these spots whose result is not recorded with the task yet. */
export function commandsToMeasure(
  task: TaskState,
  spots: readonly Spot[],
  name: (id: string) => string,
): CommandGateSpec[] {
  return spots
    .filter(({ id }) => evidenceOf(task, name(id)) === undefined)
    .map((spot) => ({ ...measureGate(spot), name: name(spot.id) }));
}

/** The gate by which an improvement lands only if it helped. */
export function measureGate({ id, measure: { command, metric, better } }: Spot): CommandGateSpec {
  return {
    gate: 'command',
    name: measureName(id),
    run: command,
    timeoutMs: TIMEOUT_MS,
    own: true,
    rerun: 0,
    measure: { metric, better },
  };
}

/** The spots to improve: those a person chose, or the best ones; undefined while a person has not chosen. */
export function chosenSpots(run: RunState, { discover, spots }: ImproveRound, input: ImproveInput): Spot[] | undefined {
  const offered = spots.filter(({ dropped }) => dropped === null);
  const needsChoice = input.planOnly || (!input.yes && input.top === undefined);
  if (!needsChoice) return offered.slice(0, input.top ?? MOST_CHOSEN);
  const answer = run.answers.findLast(({ subject }) => subject === discover.spec.key);
  if (answer === undefined) return undefined;
  if (answer.choice === 'reject') return [];
  if (answer.option === 'listed') {
    const ids = new Set(answer.note?.match(/\d+(?:\.\d+)?/g) ?? []);
    return offered.filter(({ id }) => ids.has(id) || ids.has(id.split('.')[1] ?? ''));
  }
  const one = offered.filter(({ id }) => id === answer.option);
  return one.length > 0 ? one : offered.slice(0, input.top ?? MOST_CHOSEN);
}

export function evidenceOf(task: TaskState, gate: string): Evidence | undefined {
  return task.evidence.find((evidence) => evidence.gate === gate);
}

export function discoverKey(round: number): string {
  return `discover/${round}`;
}

export function measureName(id: string): string {
  return `measure ${id}`;
}

/** The name of the measurement of a kept improvement after a later round. */
export function againName(id: string): string {
  return `after ${id}`;
}
