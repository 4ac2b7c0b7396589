import type { RiskFlag, RiskName, RiskPolicy } from '../schema/risk.ts';
import { budgetStopped } from './budget-stopped.ts';
import type { CandidateRisk } from './candidate-risks.ts';
import { claimAfterFailedTest } from './claim-after-failed-test.ts';
import { destructiveCommand } from './destructive-command.ts';
import { excessiveOutput } from './excessive-output.ts';
import { modelMismatch } from './model-mismatch.ts';
import { notChecked } from './not-checked.ts';
import { permissionDenied } from './permission-denied.ts';
import { repeatedSearch } from './repeated-search.ts';
import type { Risk, RiskContext } from './risk.ts';
import { scopeViolation } from './scope-violation.ts';
import { secretLikeOutput } from './secret-like-output.ts';
import { sensitiveFile } from './sensitive-file.ts';
import { stalled } from './stalled.ts';
import { suppressedFile } from './suppressed-file.ts';
import { suppressedLine } from './suppressed-line.ts';
import { untrustedSettings } from './untrusted-settings.ts';

const RISKS: { [N in Exclude<RiskName, CandidateRisk>]: Risk } = {
  stalled,
  'repeated-search': repeatedSearch,
  'excessive-output': excessiveOutput,
  'destructive-command': destructiveCommand,
  'claim-after-failed-test': claimAfterFailedTest,
  'secret-like-output': secretLikeOutput,
  'model-mismatch': modelMismatch,
  'sensitive-file': sensitiveFile,
  'scope-violation': scopeViolation,
  'permission-denied': permissionDenied,
  'budget-stopped': budgetStopped,
  'not-checked': notChecked,
  'untrusted-settings': untrustedSettings,
  'suppressed-file': suppressedFile,
  'suppressed-line': suppressedLine,
};

/** Everything risky about an attempt, by the user's policy for each risk; without one, by the risk's own. */
export function findRisks(context: RiskContext, policies: Partial<Record<RiskName, RiskPolicy>>): RiskFlag[] {
  return Object.values(RISKS).flatMap((risk) => {
    const policy = policies[risk.name] ?? risk.policy ?? 'warn';
    const detail = policy === 'off' ? undefined : risk.find(context);
    if (detail === undefined) return [];
    return [{ risk: risk.name, severity: risk.severity, blocking: policy === 'block', detail }];
  });
}
