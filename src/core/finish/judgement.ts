import type { Acceptance, Decision, Judgement, Opinion } from '../../schema/acceptance.ts';
import { ReviewOutput } from '../../schema/output.ts';
import { lastAttempt, type RunState } from '../run/state.ts';
import { findingText, isOpen } from './findings.ts';

/** An opinion that was requested from an agent, and the run in which it is recorded. */
export type RequestedOpinion = { by: string; run: string; opinion: Opinion };

type Voice = Judgement['voices'][number];

const STRICTNESS: Record<Decision, number> = { approve: 0, revise: 1, block: 2 };

/** What to do with a run: the rules decide first, and an opinion can only make the decision stricter. */
export function judgementOf(state: RunState, acceptance: Acceptance, opinions: readonly RequestedOpinion[]): Judgement {
  const voices = [byRules(state, acceptance), ...opinions.map(voiceOfOpinion)];
  const decision = voices.reduce<Decision>(
    (so, voice) => (STRICTNESS[voice.decision] > STRICTNESS[so] ? voice.decision : so),
    'approve',
  );
  return {
    run: state.start.run,
    title: state.start.title,
    decision,
    reasons: voices.filter((voice) => voice.decision === decision).flatMap((voice) => voice.reasons),
    missing: [...new Set(voices.flatMap((voice) => voice.missing))],
    evidence: acceptance.evidence,
    voices,
  };
}

function byRules(state: RunState, acceptance: Acceptance): Voice {
  const block = blockReasons(state, acceptance);
  const revise = reviseReasons(state, acceptance);
  const voice = { by: 'rules', run: null, missing: missingParts(acceptance) };
  if (block.length > 0) return { ...voice, decision: 'block', reasons: [...block, ...revise] };
  if (revise.length > 0) return { ...voice, decision: 'revise', reasons: revise };
  return { ...voice, decision: 'approve', reasons: ['the run is done and every check passed on exactly this tree'] };
}

/** What agents cannot fix: a person must decide, or another user or process changed the result. */
function blockReasons(state: RunState, acceptance: Acceptance): string[] {
  const failed = acceptance.criteria.filter(({ verdict }) => verdict === 'fail');
  const reasons = failed
    .filter(({ criterion }) => ['branch', 'scope', 'secrets'].includes(criterion))
    .map(({ reason }) => reason);
  if (!['done', 'unverified', 'partial', 'failed'].includes(acceptance.status))
    reasons.unshift(...of(acceptance, 'finished'));
  return [...reasons, ...acceptance.findings.filter(isOpen).map((finding) => findingText(state, finding))];
}

function reviseReasons(state: RunState, acceptance: Acceptance): string[] {
  const reasons = ['failed', 'partial', 'unverified'].includes(acceptance.status) ? of(acceptance, 'finished') : [];
  const open = openFindings(state).map(({ severity, title }) => `the last review found (${severity}): ${title}`);
  return [...reasons, ...of(acceptance, 'evidence'), ...open];
}

/** What is missing for a better decision. */
function missingParts({ evidence, criteria }: Acceptance): string[] {
  const checks = evidence.filter(({ standing }) => standing !== 'current').map(({ gate }) => `${gate} on this tree`);
  const none =
    evidence.length === 0 && criteria.some(({ criterion, verdict }) => criterion === 'evidence' && verdict === 'fail');
  const tests = criteria
    .filter(({ criterion, verdict }) => criterion === 'tests' && verdict === 'warn')
    .map(({ reason }) => `tests: ${reason}`);
  return [...(none ? ['a check: add one to the project'] : []), ...checks, ...tests];
}

/** The open findings of the last review, if nothing landed after it. */
function openFindings(state: RunState): ReviewOutput['findings'] {
  const last = state.order
    .map((key) => state.tasks[key])
    .findLast((task) => task?.spec.role === 'review' && task.phase.status === 'done');
  const output = ReviewOutput.safeParse(last === undefined ? undefined : lastAttempt(last)?.ended?.output);
  const isOld = last !== undefined && lastAttempt(last)?.base !== state.tip.commit;
  return output.success && !isOld ? output.data.findings.filter(({ severity }) => severity !== 'low') : [];
}

function of(acceptance: Acceptance, criterion: Acceptance['criteria'][number]['criterion']): string[] {
  return acceptance.criteria
    .filter((found) => found.criterion === criterion && found.verdict === 'fail')
    .map(({ reason }) => reason);
}

function voiceOfOpinion({ by, run, opinion }: RequestedOpinion): Voice {
  return { by, run, ...opinion };
}
