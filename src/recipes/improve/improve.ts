import { changeText, isWorse, valueText } from '../../core/land/measure.ts';
import { openTasks, type RunState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import { ImproveInput } from '../../schema/request.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { requiringGreenBase } from '../base-red.ts';
import { outOf } from '../out-of-limits.ts';
import type { Recipe, RecipeOutline, Unfolding } from '../recipe.ts';
import { oneLine, taskSpec } from '../task-spec.ts';
import { improveDocument, improveProgress } from './improve-document.ts';
import {
  againName,
  changeOf,
  chosenSpots,
  commandsToMeasure,
  discoverKey,
  evidenceOf,
  type ImproveRound,
  isKept,
  measureGate,
  measureName,
  refuseSpots,
  roundsOf,
  type Spot,
} from './improve-spots.ts';

const NOTHING_NEW: Unfolding = { add: [] };
/** Attempts at one improvement: the first, and one that sees the measurement of the first. */
const ATTEMPTS = 2;
const MOST_TRIED = 30;

/** What follows once nothing of the run is open. */
type ImproveStep =
  | { do: 'unfold'; unfolding: Unfolding }
  | { do: 'stop'; why: string; keep?: NonNullable<Unfolding['keep']> };

/** Finds weak spots that a command shows, improves them, and keeps what measurably helped, round after round. */
export const improve: Recipe<ImproveInput> = requiringGreenBase({
  name: 'improve',
  version: 1,
  input: ImproveInput,
  form: {
    title: 'Improve',
    summary: 'Find weak spots, and keep what measurably helps.',
    file: false,
    command: {
      name: 'improve',
      text: 'focus',
      flags: { rounds: '--rounds {}', top: '--top {}', yes: '--yes', planOnly: '--plan-only' },
    },
  },
  title: ({ focus }) => oneLine(focus === undefined ? 'Improve the project' : `Improve: ${focus}`),
  accept: (task, output) => (task.spec.role === 'discover' ? refuseSpots(output) : undefined),
  unfold: (run, input) => {
    if (openTasks(run) > 0) return NOTHING_NEW;
    const step = nextStep(run, input);
    if (step.do === 'unfold') return step.unfolding;
    return step.keep === undefined ? NOTHING_NEW : { add: [], keep: step.keep };
  },
  shortfall: (run) => {
    const spots = roundsOf(run).flatMap((round) => round.spots);
    const tried = spots.filter(({ task }) => task !== undefined);
    if (tried.length === 0 || spots.some(isKept)) return undefined;
    return `none of ${tried.length} improvements measurably helped, so nothing was kept`;
  },
  progress: (run, input) => improveProgress(roundsOf(run), openTasks(run) > 0 ? null : stopOf(run, input)),
  result: (run, input) => improveDocument(roundsOf(run), openTasks(run) > 0 ? null : stopOf(run, input)),
  outline,
});

function stopOf(run: RunState, input: ImproveInput): string | null {
  const step = nextStep(run, input);
  return step.do === 'stop' ? step.why : null;
}

function nextStep(run: RunState, input: ImproveInput): ImproveStep {
  const rounds = roundsOf(run);
  const round = rounds.at(-1);
  if (round === undefined) return unfolding({ add: [discoverTask(run, input, rounds)] });
  const { discover, spots, number } = round;
  const out = outOf([discover, ...spots.map(({ task }) => task)]);
  if (out !== undefined) return { do: 'stop', why: out };
  if (discover.phase.status !== 'done') return { do: 'stop', why: `round ${number}: the discovery failed` };
  const unmeasured = commandsToMeasure(discover, spots, measureName);
  if (unmeasured.length > 0) return unfolding({ add: [], measure: { task: discover.spec.key, commands: unmeasured } });
  if (spots.every(({ dropped }) => dropped !== null))
    return { do: 'stop', why: `round ${number} found nothing new that a command shows` };
  const chosen = chosenSpots(run, round, input);
  if (chosen === undefined) return unfolding({ add: [], hold: choiceHold(round) });
  if (chosen.length === 0) return { do: 'stop', why: `nothing of round ${number} was chosen` };
  const open = chosen.filter(({ task }) => task === undefined);
  if (open.length > 0) return unfolding({ add: open.map((spot) => improveTask(run, spot)) });
  return afterRound(run, input, { rounds, round });
}

/** What was kept before is measured again: a round that makes one of these worse is dropped. */
function afterRound(
  run: RunState,
  input: ImproveInput,
  { rounds, round }: { rounds: readonly ImproveRound[]; round: ImproveRound },
): ImproveStep {
  const { discover, number, base } = round;
  const kept = rounds.flatMap(({ spots }) => spots.filter(isKept));
  const unmeasured = kept.length < 2 ? [] : commandsToMeasure(discover, kept, againName);
  if (unmeasured.length > 0 && round.spots.some(isKept))
    return unfolding({ add: [], measure: { task: discover.spec.key, commands: unmeasured } });
  const worse = kept.find((spot) => isWorseNow(spot, round));
  if (worse !== undefined && base !== undefined) {
    const why = `round ${number} made ${worse.id} worse (${worse.title}), so it was dropped`;
    return { do: 'stop', why, keep: { commit: base, reason: why } };
  }
  if (number >= Math.min(input.rounds, run.start.maxIterations ?? input.rounds))
    return { do: 'stop', why: `${number} ${number === 1 ? 'round is' : 'rounds are'} done` };
  return unfolding({ add: [discoverTask(run, input, rounds)] });
}

function isWorseNow(spot: Spot, { discover }: ImproveRound): boolean {
  const landed = changeOf(spot)?.measured?.after;
  const now = evidenceOf(discover, againName(spot.id))?.measured?.before;
  return landed != null && now != null && isWorse(spot.measure, landed, now);
}

function unfolding(value: Unfolding): ImproveStep {
  return { do: 'unfold', unfolding: value };
}

function discoverTask(run: RunState, { focus = '' }: ImproveInput, rounds: readonly ImproveRound[]): TaskSpec {
  const tried = rounds.flatMap(({ spots }) => spots).filter(({ task }) => task !== undefined);
  return taskSpec(run.start.config, {
    key: discoverKey(rounds.length + 1),
    title: `Find weak spots (round ${rounds.length + 1})`,
    role: 'discover',
    access: 'read',
    outputSchema: SPOTS_SCHEMA,
    prompt: promptText('recipes/improve/find-weak-spots', {
      focus,
      tried: tried.slice(-MOST_TRIED).map(triedText).join('\n'),
    }),
  });
}

function triedText(spot: Spot): string {
  const measured = changeOf(spot)?.measured;
  const change = measured === undefined ? 'not measured' : changeText(spot.measure, measured.before, measured.after);
  return `- ${spot.title}: ${isKept(spot) ? 'kept' : 'not kept'}; ${change}`;
}

/** It lands alone, with the checks of the project and its measurement. */
function improveTask(run: RunState, spot: Spot): TaskSpec {
  const { id, title, description, file = '', measure, shown } = spot;
  const spec = taskSpec(run.start.config, {
    key: `improve/${id}`,
    title: `Improve: ${title}`,
    role: 'implement',
    access: 'write',
    optional: true,
    prompt: promptText('recipes/improve/improve-spot', {
      title,
      description,
      file,
      command: measure.command,
      shown: shown === null ? '' : valueText(measure.metric, shown),
      aim: measure.metric === 'exit' ? 'it must pass' : `it must become ${measure.better}`,
    }),
  });
  return {
    ...spec,
    gates: [...spec.gates, measureGate(spot)],
    retry: { ...spec.retry, attempts: Math.min(spec.retry.attempts, ATTEMPTS) },
  };
}

function choiceHold({ number, discover, spots }: ImproveRound): NonNullable<Unfolding['hold']> {
  const offered = spots.filter(({ dropped }) => dropped === null);
  const listed = offered.map(({ id, title, measure, shown, value, effort }) => {
    const shows = shown === null ? '' : `, now: ${valueText(measure.metric, shown)}`;
    return `${id} ${title} (value ${value}, effort ${effort}${shows}, by \`${measure.command}\`)`;
  });
  const count = offered.length === 1 ? '1 weak spot' : `${offered.length} weak spots`;
  return {
    what: 'plan',
    reason: `Round ${number} found ${count}, the best first: ${listed.join('; ')}. Choose what to improve`,
    files: [],
    subject: discover.spec.key,
    options: [
      { id: 'all', label: `all of them` },
      ...offered.map(({ id, title }) => ({ id, label: title })),
      { id: 'listed', label: 'those whose numbers are in the note, such as 1,3', needsNote: true },
    ],
  };
}

const SIZE = { type: 'string', enum: ['low', 'medium', 'high'] };
const SPOT = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 },
    category: { type: 'string', enum: ['tests', 'speed', 'duplication', 'dependencies', 'documentation', 'other'] },
    description: { type: 'string', maxLength: 4_000 },
    file: { type: 'string' },
    measure: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, maxLength: 1_000 },
        metric: { type: 'string', enum: ['exit', 'number', 'tests', 'duration'] },
        better: { type: 'string', enum: ['lower', 'higher'] },
      },
      required: ['command', 'metric', 'better'],
    },
    value: SIZE,
    effort: SIZE,
  },
  required: ['title', 'category', 'description', 'measure', 'value', 'effort'],
};
const SPOTS_SCHEMA = {
  type: 'object',
  properties: { spots: { type: 'array', maxItems: 20, items: SPOT }, summary: { type: 'string' } },
  required: ['spots', 'summary'],
};

function outline(_config: unknown, { rounds, top }: ImproveInput, maxIterations?: number): RecipeOutline {
  const most = Math.min(rounds, maxIterations ?? rounds);
  return {
    phases: [
      { title: 'Find weak spots that a command shows', role: 'discover', most },
      { title: 'Improve those that are chosen', role: 'implement', most: top === undefined ? null : top * most },
    ],
    stops: [
      'a round finds nothing new that a command shows',
      'a round makes what was kept before worse: that round is dropped',
      `${most} ${most === 1 ? 'round is' : 'rounds are'} done`,
    ],
  };
}
