import type { Failure, FailureKind, FollowUp } from '../schema/failure.ts';
import { auth } from './auth.ts';
import { badOutput } from './bad-output.ts';
import { billing } from './billing.ts';
import { budget } from './budget.ts';
import { conflict } from './conflict.ts';
import { contextFull } from './context-full.ts';
import { crashed } from './crashed.ts';
import { diskFull } from './disk-full.ts';
import { environment } from './environment.ts';
import type { FailureContext, FailureRule } from './failure.ts';
import { implementation } from './implementation.ts';
import { interrupted } from './interrupted.ts';
import { killed } from './killed.ts';
import { modelNotFound } from './model-not-found.ts';
import { network } from './network.ts';
import { noChange } from './no-change.ts';
import { outOfMemory } from './out-of-memory.ts';
import { overloaded } from './overloaded.ts';
import { rateLimit } from './rate-limit.ts';
import { refused } from './refused.ts';
import { sessionLost } from './session-lost.ts';
import { stalled } from './stalled.ts';
import { tests } from './tests.ts';
import { timeout } from './timeout.ts';
import { tooManyProcesses } from './too-many-processes.ts';
import { unknown } from './unknown.ts';
import { usageLimit } from './usage-limit.ts';
import { verification } from './verification.ts';

const RULES: { [Kind in FailureKind]: FailureRule<Kind> } = {
  'rate-limit': rateLimit,
  'usage-limit': usageLimit,
  overloaded,
  auth,
  billing,
  'model-not-found': modelNotFound,
  'context-full': contextFull,
  network,
  environment,
  tests,
  verification,
  stalled,
  timeout,
  crashed,
  killed,
  'out-of-memory': outOfMemory,
  'too-many-processes': tooManyProcesses,
  'disk-full': diskFull,
  conflict,
  budget,
  refused,
  'no-change': noChange,
  'bad-output': badOutput,
  implementation,
  interrupted,
  'session-lost': sessionLost,
  unknown,
};

/** What a failure leads to; the same failure at the same attempt and time always leads to the same. */
export function followUp(failure: Failure, context: Omit<FailureContext, 'failure'>): FollowUp {
  return RULES[failure.kind].follow({ ...context, failure });
}

/** The name people read for a kind of failure. */
export function failureTitle(kind: FailureKind): string {
  return RULES[kind].title;
}
