import { decidePolicy } from '../../core/policy/decide-policy.ts';
import { OUTSIDE, type ScopeRules, scopeList } from '../../core/policy/rule-lists.ts';
import { changedLines, type TouchedPath, touchedPaths } from '../../git/read/touched.ts';
import type { GateSpec } from '../../schema/gate.ts';
import { realWorld } from '../../world.ts';
import { type Gate, noWork } from '../gate.ts';
import { shownPath } from '../shown-path.ts';

type ScopeSpec = Extract<GateSpec, { gate: 'scope' }>;

const SHOWN = 50;

/**
 * Passes when all that was touched is allowed and none of it denied: in the result, and in every commit on the way,
 * because the commits land too. What was put back by a later commit was touched all the same.
 */
export const scopeGate: Gate<ScopeSpec> = {
  name: 'scope',
  async check(spec, input) {
    input.signal.throwIfAborted();
    if (input.work === undefined) return noWork();
    const startedAt = realWorld.now();
    const { mirror, base, commit } = input.work;
    const between = { from: base, to: commit };
    const reasonFor = scopeRefusals(spec);
    const touched = await touchedPaths(mirror, between, input.signal);
    const violations = touched.flatMap((each) => {
      const reason = reasonFor(each.path);
      return reason === undefined ? [] : [{ ...each, reason }];
    });
    const problems = violations.map((each) => `${shownPath(each.path)} ${each.reason}${wayOf(each)}`);
    const lines = spec.maxChangedLines === undefined ? undefined : await changedLines(mirror, between, input.signal);
    if (lines !== undefined && lines > (spec.maxChangedLines ?? lines))
      problems.push(`${lines} lines are changed, and at most ${spec.maxChangedLines} may be`);
    const isScopeTooNarrow =
      problems.length === violations.length && violations.every(({ reason }) => reason === OUTSIDE);
    const shown = [
      ...problems.slice(0, SHOWN),
      ...(problems.length > SHOWN ? [`and ${problems.length - SHOWN} more`] : []),
    ];
    return {
      verdict: problems.length === 0 ? 'pass' : 'fail',
      summary: summaryOf(problems, { files: touched.length, lines }),
      exitCode: null,
      setup: '',
      durationMs: Math.max(0, realWorld.now() - startedAt),
      ...(problems.length === 0 ? {} : { output: [...shown, '', howToGoOn(spec, base)].join('\n') }),
      ...(problems.length > 0 && isScopeTooNarrow ? { outside: violations.map(({ path }) => path) } : {}),
    };
  },
};

/** Why a path may not be touched, if it may not. */
export function scopeRefusals(scope: ScopeRules): (path: string) => string | undefined {
  const lists = [scopeList(scope)];
  return (path) => {
    const { decision, rule } = decidePolicy(lists, { role: '', tool: 'Edit', kind: 'Edit', paths: [path] });
    return decision === 'allow' ? undefined : rule?.reason;
  };
}

function wayOf({ commit }: TouchedPath): string {
  return commit === undefined ? '' : ` (changed in commit ${commit.slice(0, 12)} and put back later)`;
}

function summaryOf(
  problems: readonly string[],
  { files, lines }: { files: number; lines: number | undefined },
): string {
  const [first] = problems;
  if (first !== undefined) return problems.length === 1 ? first : `${first}, and ${problems.length - 1} more`;
  const counted = lines === undefined ? '' : `, ${lines} lines`;
  return `${files} ${files === 1 ? 'file' : 'files'} touched${counted}, all within the scope`;
}

function howToGoOn({ allow, also, deny, maxChangedLines }: ScopeSpec, base: string): string {
  const rules = [
    ...(allow.length === 0 ? [] : [`Allowed: ${[...allow, ...also].join(', ')}.`]),
    ...(deny.length === 0 ? [] : [`Denied: ${deny.join(', ')}.`]),
    ...(maxChangedLines === undefined ? [] : [`At most ${maxChangedLines} changed lines.`]),
  ];
  return `${rules.join(' ')}\nCommits count too: git reset --soft ${base}, then commit again without the rest.`;
}
