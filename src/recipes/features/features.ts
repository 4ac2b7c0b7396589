import { join } from 'node:path';
import { judgeSteps } from '../../core/land/steps.ts';
import { isOpen, lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { GateSpec } from '../../schema/gate.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { type Feature, FeaturesInput } from '../../schema/work-file.ts';
import { requiringGreenBase } from '../base-red.ts';
import type { Recipe, Unfolding } from '../recipe.ts';
import { oneLine, taskSpec } from '../task-spec.ts';
import { featureStatuses, finalVerdict } from './feature-status.ts';
import { featuresWorkFile } from './features-file.ts';
import { selectedFeatures } from './selected-features.ts';
import { type Track, trackOf, tracksOf } from './tracks.ts';

const NOTHING_NEW: Unfolding = { add: [] };
/** The branch that features start from and land on where nothing names another. */
const BASE = 'ai-develop';
const IMPLEMENT_TURNS = 40;

/** A list of features: each implemented in its own workspace, verified by another agent, landed on its own; so many per track at once. */
export const features: Recipe<FeaturesInput> = requiringGreenBase({
  name: 'features',
  version: 1,
  input: FeaturesInput,
  form: {
    title: 'Features',
    summary: 'Build features, each verified step by step, by another agent where there are two.',
    file: true,
  },
  workFile: featuresWorkFile,
  title: (input) => {
    const count = selectedFeatures(input).length;
    return count === 1 ? oneLine(selectedFeatures(input)[0]?.feature.name ?? 'A feature') : `${count} features`;
  },
  defaults: () => ({ base: BASE, land: 'merge', landEach: true }),
  failure: (run, input) => finalVerdict(run, input),
  statuses: (run, input) => featureStatuses(run, input),
  // Loaded by the engine alone: commands that only read a run need no editor of JSON files.
  writeStatuses: async (root, { file, statuses }) => {
    const { writeStatuses } = await import('./write-statuses.ts');
    await writeStatuses(join(root, file), new Map(statuses.map(({ id, status }) => [id, status])), { root });
  },
  unfold: (run, input, ended) => {
    const follow = ended === undefined ? [] : afterTask(run, input, ended);
    if (follow.length > 0) return { add: follow };
    const add = startMore(run, input);
    return add.length === 0 ? NOTHING_NEW : { add };
  },
});

function startMore(run: RunState, input: FeaturesInput): TaskSpec[] {
  const tracks = tracksOf(run.start.config);
  const freeSlots = new Map(tracks.map((track) => [track.name, track.features]));
  const waiting: PendingFeature[] = [];
  for (const { feature, key, needs } of selectedFeatures(input)) {
    const track = trackOf(tracks, feature.category);
    if (run.tasks[key] === undefined) waiting.push({ feature, key, track, needs });
    else if (isOpenFeature(run, key) && !waitsForPerson(run, key, new Set()))
      freeSlots.set(track.name, (freeSlots.get(track.name) ?? 0) - 1);
  }
  const added = new Set<string>();
  return waiting.flatMap((next) => {
    const left = freeSlots.get(next.track.name) ?? 0;
    if (left <= 0 || !next.needs.every((need) => added.has(need) || run.tasks[need] !== undefined)) return [];
    freeSlots.set(next.track.name, left - 1);
    added.add(next.key);
    return [implementation(run, input, next)];
  });
}

/** A feature is open until its last task, verifications and fixes in the checkout included, has ended. */
function isOpenFeature(run: RunState, key: string): boolean {
  const task = run.tasks[key];
  if (task === undefined || isOpen(task)) return task !== undefined;
  for (let round = 1; ; round += 1) {
    const later = [run.tasks[`${key}/verify/${round}`], run.tasks[`${key}/fix/${round}`]];
    if (later.some((entry) => entry !== undefined && isOpen(entry))) return true;
    if (later[1] === undefined) return false;
  }
}

/** Whether a person must act before the feature continues, on it or on one that it needs: it takes no slot of its track. */
function waitsForPerson(run: RunState, key: string, seen: Set<string>): boolean {
  const task = run.tasks[key];
  if (task === undefined || seen.has(key)) return false;
  seen.add(key);
  const { status } = task.phase;
  if (status === 'blocked' || status === 'held') return true;
  return status === 'waiting' && task.spec.needs.some((need) => waitsForPerson(run, need, seen));
}

type PendingFeature = { feature: Feature; key: string; track: Track; needs: string[] };

function implementation(run: RunState, input: FeaturesInput, { feature, key, track, needs }: PendingFeature): TaskSpec {
  const { config } = run.start;
  const { verify } = config;
  const spec = taskSpec(config, {
    key,
    title: feature.name,
    name: feature.id,
    role: 'implement',
    access: 'write',
    needs,
    track: track.name,
    branch: `mh-tasks/${run.start.run}/${slug(feature, input)}`,
    prompt: featurePrompt(feature),
    ...labelsOf(feature),
  });
  const agent = feature.agent ?? track.agent;
  const verifying =
    verify.disabled || verify.in === 'checkout'
      ? {}
      : {
          verify: {
            role: 'verify',
            fixRole: 'fix',
            prompt: verifyPrompt(feature, verify.appUrl),
            steps: feature.steps,
            rounds: verify.maxAttempts,
            limits: { ...spec.limits, turns: verify.turns },
            ...(verify.agent === undefined ? {} : { agent: verify.agent }),
            ...serving(run),
          },
        };
  return {
    ...spec,
    gates: [...spec.gates, ...protectedFiles(run, input)],
    limits: { ...spec.limits, turns: spec.limits.turns ?? IMPLEMENT_TURNS },
    ...(agent === undefined ? {} : { agent }),
    ...verifying,
  };
}

/** Only the engine writes the files that hold the status of features: implementers must not change them. */
function protectedFiles({ start }: RunState, { file }: FeaturesInput): GateSpec[] {
  const deny = [file, start.config.progress].filter((path) => path != null);
  return deny.length === 0 ? [] : [{ gate: 'scope', name: 'scope', allow: [], deny, also: [] }];
}

function serving({ start }: RunState): Pick<TaskSpec, 'serve'> {
  const { start: command, startSeconds, appUrl } = start.config.verify;
  if (command === undefined) return {};
  const url = appUrl?.includes('{port}') ? appUrl : 'http://127.0.0.1:{port}';
  return { serve: { run: command, readyMs: startSeconds * 1000, url } };
}

/** With `verify.in: checkout` a feature lands first; then it is verified there, fixed, and verified again. */
function afterTask(run: RunState, input: FeaturesInput, ended: TaskState): TaskSpec[] {
  const { verify } = run.start.config;
  if (verify.in !== 'checkout' || verify.disabled || ended.phase.status !== 'done') return [];
  const [, position, kind, round] = ended.spec.key.split('/');
  const feature = input.features[Number(position) - 1];
  if (feature === undefined || !ended.spec.key.startsWith('feature/')) return [];
  const key = `feature/${position}`;
  if (kind !== 'verify') return [checkoutVerification(run, { feature, key, round: Number(round ?? 0) + 1, ended })];
  const verdict = judgeSteps(lastAttempt(ended)?.ended?.output, feature.steps);
  if (verdict.passed || Number(round) >= verify.maxAttempts) return [];
  const fix = taskSpec(run.start.config, {
    key: `${key}/fix/${round}`,
    title: `Fix: ${feature.name}`,
    name: feature.id,
    role: 'fix',
    access: 'write',
    ...(ended.spec.track === undefined ? {} : { track: ended.spec.track }),
    prompt: promptText('recipes/features/fix-feature', { feature: featurePrompt(feature), report: verdict.report }),
    ...labelsOf(feature),
  });
  const limits = { ...fix.limits, turns: fix.limits.turns ?? IMPLEMENT_TURNS };
  return [{ ...fix, limits, gates: [...fix.gates, ...protectedFiles(run, input)] }];
}

function checkoutVerification(
  run: RunState,
  what: { feature: Feature; key: string; round: number; ended: TaskState },
): TaskSpec {
  const { feature, key, round, ended } = what;
  const { verify } = run.start.config;
  const at = ended.phase.status === 'done' ? ended.phase.at : 0;
  const spec = taskSpec(run.start.config, {
    key: `${key}/verify/${round}`,
    title: `Verify: ${feature.name}`,
    name: feature.id,
    role: 'verify',
    access: 'read',
    afterLanding: true,
    notBefore: at + verify.delayMs,
    prompt: verifyPrompt(feature, verify.appUrl),
    ...(ended.spec.track === undefined ? {} : { track: ended.spec.track }),
    ...(verify.agent === undefined ? {} : { agent: verify.agent }),
    ...labelsOf(feature),
  });
  return { ...spec, limits: { ...spec.limits, turns: verify.turns } };
}

/** The host that implements, verifies and fixes a feature must have its labels. */
function labelsOf({ labels }: Feature): Pick<TaskSpec, 'labels'> {
  return labels === undefined ? {} : { labels };
}

function featurePrompt({ id, name, category, description, steps }: Feature): string {
  return promptText('recipes/features/implement-feature', {
    id,
    name,
    category,
    description: description.trim(),
    steps: numbered(steps),
  });
}

function verifyPrompt({ id, name, description, steps }: Feature, appUrl = ''): string {
  return promptText('recipes/features/verify-feature', {
    id,
    name,
    description: description.trim(),
    steps: numbered(steps),
    appUrl: appUrl.includes('{port}') ? '' : appUrl,
  });
}

function numbered(steps: readonly string[]): string {
  return steps.map((step, index) => `STEP ${index + 1}: ${step}`).join('\n');
}

/** A branch name that a person recognises and git accepts. */
function slug(feature: Feature, input: FeaturesInput): string {
  const slugText = feature.name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '');
  const position = input.features.indexOf(feature) + 1;
  return slugText === '' ? `feature-${position}` : `${position}-${slugText}`;
}
