import type { RiskFlag, RiskName, RiskPolicy, RiskSeverity } from '../schema/risk.ts';

/** What the checks of a candidate can find in addition to their verdict. */
const CANDIDATE_RISKS = {
  'tests-missing': { severity: 'high', policy: 'block' },
  'tests-skipped': { severity: 'high', policy: 'block' },
  'fewer-tests': { severity: 'high', policy: 'block' },
  'test-passes-on-base': { severity: 'low', policy: 'warn' },
  'not-proven': { severity: 'medium', policy: 'warn' },
  'flaky-check': { severity: 'medium', policy: 'warn' },
  'green-after-red': { severity: 'high', policy: 'block' },
  'known-red': { severity: 'medium', policy: 'warn' },
} as const satisfies Partial<Record<RiskName, { severity: RiskSeverity; policy: RiskPolicy }>>;

export type CandidateRisk = keyof typeof CANDIDATE_RISKS;

/** A risk of a candidate as a flag, by the user's policy for it; none where the policy is `off`. */
export function candidateFlag(
  risk: CandidateRisk,
  detail: string,
  policies: Partial<Record<RiskName, RiskPolicy>>,
): RiskFlag[] {
  const { severity, policy: standard } = CANDIDATE_RISKS[risk];
  const policy = policies[risk] ?? standard;
  return policy === 'off' ? [] : [{ risk, severity, blocking: policy === 'block', detail }];
}
