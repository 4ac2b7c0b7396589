import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { isSimulated, isUserProgram } from '../../agents/agent-kinds.ts';
import { checksOfRun } from '../../core/project/configured-checks.ts';
import { inBatches } from '../../core/run/graph.ts';
import { moneyText, withLocalTimes } from '../../core/view/amounts.ts';
import type { OperationInput } from '../../operations/all.ts';
import type { PlannedWork } from '../../recipes/recipe-work-file.ts';
import type { Config } from '../../schema/config.ts';
import { WorkFormat } from '../../schema/work-file.ts';
import { plannedWork } from '../../work-files/work-plan.ts';
import { oneLine } from '../render/clean-text.ts';
import { tableLines } from '../render/output.ts';
import { type Painter, painter } from '../render/symbols.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RequestedWork } from './requested-work.ts';

/** What would be started; nothing was. */
export const DryRun = z.object({
  file: z.string(),
  format: WorkFormat,
  recipe: z.string(),
  title: z.string().nullable(),
  batches: z.array(
    z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        role: z.string(),
        agent: z.string().nullable(),
        played: z.boolean().describe('In a rehearsal: the agent is scripted, and no model is called.'),
        needs: z.array(z.string()),
        gates: z.array(z.string()),
        track: z.string().optional().describe('The track of a feature.'),
        labels: z.array(z.string()).optional().describe('Labels that its host must have.'),
      }),
    ),
  ),
  agents: z.array(
    z.object({ role: z.string(), agent: z.string().nullable(), played: z.boolean(), because: z.string() }),
  ),
  checks: z.array(z.string()).describe('What must exit 0 for every task.'),
  maxParallel: z.number().int(),
  labels: z.array(z.string()).describe('Labels that a host must have to perform anything of the run.'),
  cost: z
    .object({
      attempts: z.number().int(),
      perAttempt: z.number(),
      estimate: z.number(),
      budget: z.number().nullable().describe('The budget of the run, which stops it; null if it has none.'),
    })
    .describe(
      'US dollars: what is reserved per attempt, times one attempt per task. An upper estimate without retries.',
    ),
  notes: z.array(z.string()),
  started: z.literal(false),
});
export type DryRun = z.infer<typeof DryRun>;

type Options = OperationInput<'start-run'>['options'];
type Agent = DryRun['agents'][number];

const MOST_ROWS = 20;
const COLUMNS = [{ title: '' }, { title: '', most: 40 }, { title: '' }, { title: '' }, { title: '' }];

/** What a work file would start, without starting it: batches in order, agents, gates, and the estimated cost. */
export async function dryRun(
  caller: Caller,
  { file, work }: RequestedWork,
  { config, options }: { config: Config; options: Options },
): Promise<DryRun> {
  const planned = plannedWork(work, config);
  const byId = new Map(planned.map((entry) => [entry.id, entry]));
  const staffing = await staffingOf(caller, planned, options);
  const batches = inBatches(planned.map(({ id, needs }) => ({ key: id, needs }))).map((batch) =>
    batch.flatMap((id) => {
      const entry = byId.get(id);
      return entry === undefined ? [] : [shownEntry(entry, staffing)];
    }),
  );
  const attempts = planned.reduce((sum, { tasks }) => sum + tasks, 0);
  const perAttempt = config.budget.attempt;
  return {
    file,
    format: work.format,
    recipe: work.recipe,
    title: options.title ?? null,
    batches,
    agents: staffing.agents,
    checks: checksOfRun(config, options.checks ?? []).map(checkText),
    maxParallel: options.maxParallel ?? config.limits.agents,
    labels: [...new Set([...config.labels, ...(options.labels ?? [])])],
    cost: {
      attempts,
      perAttempt,
      estimate: Math.round(attempts * perAttempt * 100) / 100,
      budget: options.budget ?? config.budget.run ?? null,
    },
    notes: work.notes,
    started: false,
  };
}

/** The dry run as lines for a terminal. */
export function dryRunLines(terminal: Terminal, dry: DryRun): string[] {
  const colors = painter(terminal.colors.out);
  const width = terminal.size().columns;
  const count = dry.batches.flat().length;
  const batches = dry.batches.flatMap((batch, index) => {
    const rows = batch
      .slice(0, MOST_ROWS)
      .map((entry) => [
        entry.id,
        oneLine(entry.title),
        entry.role,
        agentText(entry),
        entry.needs.length === 0 ? '' : `after ${entry.needs.join(', ')}`,
      ]);
    const more = batch.length > rows.length ? [`  and ${batch.length - rows.length} more`] : [];
    return [
      colors.bold(`Batch ${index + 1}`),
      ...tableLines(COLUMNS, rows, width - 2).map((line) => `  ${line}`),
      ...more,
    ];
  });
  return [
    `${dry.file}: ${count} ${count === 1 ? 'task' : 'tasks'} (${dry.format}), ${dry.maxParallel} in parallel`,
    ...batches,
    ...trackLines(dry, colors),
    ...labelLines(dry, colors),
    colors.bold('Agents'),
    ...dry.agents.map(
      (picked) => `  ${picked.role}: ${agentText(picked)} (${oneLine(withLocalTimes(picked.because))})`,
    ),
    colors.bold('Gates'),
    ...gateLines(dry),
    ...costLines(dry),
    'Nothing was started.',
  ];
}

/** The agent of each role, and which agents a rehearsal would simulate. */
type Staffing = {
  agents: Agent[];
  isRehearsed(agent: string | null): boolean;
  /** The agent that would verify the work of another. */
  verifierOf(worker: string | null): string | null;
};

async function staffingOf(caller: Caller, planned: readonly PlannedWork[], options: Options): Promise<Staffing> {
  const { dir, agents: requested = [], rehearse = false, scenario } = options;
  const isRehearsal = rehearse || scenario !== undefined;
  const rehearsal = { rehearse, ...(scenario === undefined ? {} : { scenario }) };
  const agents: Agent[] = [];
  // A rehearsal only runs programs that the command line names.
  const programs = new Set<string>();
  const isRehearsed = (agent: string | null) => isRehearsal && agent !== null && !programs.has(agent);
  const pickFor = async (role: string, others: { avoid?: string; verified?: boolean }) => {
    const pick = await caller.call('pick-model', { dir, role, agents: requested, ...others, ...rehearsal });
    for (const { agent, kind } of pick.candidates) if (isUserProgram(kind)) programs.add(agent);
    return pick;
  };
  const workerOf = ({ role, agent }: PlannedWork) => agent ?? agents.find((entry) => entry.role === role)?.agent;
  const verified = planned.filter(({ gates }) => gates.some(isVerified));
  const verifier = (worker: string | null | undefined) =>
    pickFor('verify', typeof worker === 'string' ? { avoid: worker } : {});
  for (const role of new Set([...planned.map((work) => work.role), ...(verified.length === 0 ? [] : ['verify'])])) {
    const [first] = role === 'verify' ? verified : [];
    const isVerifiedLater = verified.some((work) => work.role === role);
    const pick = await (first === undefined ? pickFor(role, { verified: isVerifiedLater }) : verifier(workerOf(first)));
    agents.push({ role, agent: pick.agent, played: isRehearsed(pick.agent), because: pick.because });
  }
  const verifiers = new Map<string | null, string | null>();
  for (const worker of new Set(verified.map((work) => workerOf(work) ?? null)))
    verifiers.set(worker, (await verifier(worker)).agent);
  return { agents, isRehearsed, verifierOf: (worker) => verifiers.get(worker) ?? null };
}

function isVerified(gate: string): boolean {
  return gate.startsWith('verify:');
}

function shownEntry({ id, title, role, needs, gates, agent, track, labels }: PlannedWork, staffing: Staffing) {
  const who = agent ?? staffing.agents.find((entry) => entry.role === role)?.agent ?? null;
  const isSame = staffing.verifierOf(who) === who;
  const verified = isSame ? 'by the same agent, in a new session' : 'by another agent';
  const shown = gates.map((gate) => (isVerified(gate) ? `${gate}, ${verified}` : gate));
  const of = { ...(track === undefined ? {} : { track }), ...(labels === undefined ? {} : { labels }) };
  return { id, title, role, agent: who, played: staffing.isRehearsed(who), needs, gates: shown, ...of };
}

function agentText({ agent, played }: Pick<Agent, 'agent' | 'played'>): string {
  if (agent === null) return 'none available';
  return played && !isSimulated(agent) ? `${agent} (rehearsed)` : agent;
}

function checkText(check: Config['checks'][number]): string {
  if (typeof check === 'string') return check;
  return typeof check.run === 'string' ? check.run : check.run.join(' ');
}

/** The features of each track, in which they run one after the other or a few at a time. */
function trackLines({ batches }: DryRun, colors: Painter): string[] {
  const byTrack = Map.groupBy(batches.flat(), ({ track }) => track);
  byTrack.delete(undefined);
  const lines = [...byTrack].map(([track = '', entries]) => {
    const ids = entries.map(({ id }) => id);
    return `  ${oneLine(track)}: ${ids.length > MOST_ROWS ? `${ids.length} tasks` : ids.join(', ')}`;
  });
  return lines.length === 0 ? [] : [colors.bold('Tracks'), ...lines];
}

/** What a host must have, where something requires a label. */
function labelLines({ labels, batches }: DryRun, colors: Painter): string[] {
  const all = labels.length === 0 ? [] : [`  every task: ${labels.join(', ')}`];
  const own = batches.flat().filter((entry) => entry.labels !== undefined && entry.labels.length > 0);
  const byLabels = Map.groupBy(own, (entry) => (entry.labels ?? []).join(', '));
  const lines = [...byLabels].map(([text, entries]) => {
    const ids = entries.map(({ id }) => id);
    return `  ${ids.length > MOST_ROWS ? `${ids.length} tasks` : ids.join(', ')}: ${text}`;
  });
  return all.length + lines.length === 0 ? [] : [colors.bold('Labels of hosts'), ...all, ...lines];
}

function gateLines({ checks, batches }: DryRun): string[] {
  const own = batches.flat().flatMap(({ id, gates }) => gates.map((gate) => ({ id, gate: oneLine(gate) })));
  const byGate = Map.groupBy(own, ({ gate }) => gate);
  const lines = [...byGate].map(([gate, entries]) => {
    const ids = entries.map(({ id }) => id);
    const who = ids.length > MOST_ROWS ? `${ids.length} tasks` : ids.join(', ');
    return `  ${who}: ${gate}`;
  });
  const all = checks.map((check) => `  every task: ${oneLine(check)}`);
  const none = checks.length === 0 && lines.length === 0;
  return none ? ['  none: the result would be unverified'] : [...all, ...lines];
}

function costLines({ cost: { attempts, perAttempt, estimate, budget } }: DryRun): string[] {
  const each = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} of ${moneyText(perAttempt)} (budget.attempt)`;
  return [
    `Estimated cost: at most ${moneyText(estimate)} (${each}), if each task succeeds at its first attempt.`,
    ...(budget === null || estimate <= budget
      ? []
      : [`The estimate is above the budget: your budget of ${moneyText(budget)} stops the run when it is spent.`]),
  ];
}
