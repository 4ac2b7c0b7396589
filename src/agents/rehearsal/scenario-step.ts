import { z } from 'zod';
import { FailureKind } from '../../schema/failure.ts';

const Text = z.string().min(1, 'must not be empty');
const Path = Text.refine(
  (path) => !path.startsWith('/') && !path.split('/').includes('..'),
  'must stay inside the workspace',
);

const Edit = z
  .strictObject({
    path: Path,
    find: Text.optional(),
    replace: z.string().optional(),
    write: z.string().optional(),
    append: z.string().optional(),
    delete: z.literal(true).optional(),
  })
  .refine(
    ({ find, replace, write, append, delete: remove }) =>
      (find === undefined) === (replace === undefined) &&
      [find, write, append, remove].filter((action) => action !== undefined).length === 1,
    'needs exactly one of: find with replace, write, append, delete',
  );
export type Edit = z.infer<typeof Edit>;

const Fail = z.strictObject({
  kind: FailureKind,
  message: Text.optional(),
  resetInSeconds: z.number().nonnegative().max(31_536_000).optional(),
});

const Use = z.strictObject({
  inputTokens: z.number().int().nonnegative().default(0),
  outputTokens: z.number().int().nonnegative().default(0),
  costUsd: z.number().nonnegative().default(0),
  model: Text.optional(),
});

const Tool = z.strictObject({ name: Text, with: z.record(z.string(), z.json()).default({}) });

const Expect = z.enum(['pass', 'fail', 'any']);
const Resolution = z.enum(['ours', 'theirs', 'union']);
export type Resolution = z.infer<typeof Resolution>;

const Fields = z.strictObject({
  say: Text.optional(),
  think: Text.optional(),
  edit: Edit.optional(),
  run: Text.optional(),
  tool: Tool.optional(),
  expect: Expect.optional(),
  output: z.json().optional(),
  fail: Fail.optional(),
  use: Use.optional(),
  sleep: z.number().nonnegative().max(86_400_000).optional(),
  commit: Text.optional(),
  exit: z.number().int().min(0).max(255).optional(),
  resolve: Resolution.optional(),
});

/** One action of a rehearsal agent. */
export type Step =
  | { step: 'say' | 'think' | 'commit'; text: string }
  | { step: 'edit'; edit: Edit }
  | { step: 'run'; command: string; expect: z.infer<typeof Expect> }
  | { step: 'tool'; tool: z.infer<typeof Tool>; expect: z.infer<typeof Expect> }
  | { step: 'output'; output: z.infer<ReturnType<typeof z.json>> }
  | { step: 'fail'; failure: z.infer<typeof Fail> }
  | { step: 'use'; usage: z.infer<typeof Use> }
  | { step: 'sleep'; ms: number }
  | { step: 'exit'; code: number }
  | { step: 'resolve'; how: Resolution };

/** A step as it is written: a mapping with exactly one action. */
export const Step = Fields.transform((fields, context): Step => {
  const steps = stepsIn(fields);
  const [step] = steps;
  if (step === undefined || steps.length > 1) {
    const actions = Object.keys(Fields.shape).filter((key) => key !== 'expect');
    context.addIssue({ code: 'custom', message: `a step has exactly one of: ${actions.join(', ')}` });
    return z.NEVER;
  }
  if (fields.expect !== undefined && step.step !== 'run' && step.step !== 'tool') {
    context.addIssue({ code: 'custom', path: ['expect'], message: 'belongs to a run or a tool step' });
  }
  return step;
});

function stepsIn(fields: z.infer<typeof Fields>): Step[] {
  const steps: Step[] = [];
  if (fields.say !== undefined) steps.push({ step: 'say', text: fields.say });
  if (fields.think !== undefined) steps.push({ step: 'think', text: fields.think });
  if (fields.commit !== undefined) steps.push({ step: 'commit', text: fields.commit });
  if (fields.edit !== undefined) steps.push({ step: 'edit', edit: fields.edit });
  if (fields.run !== undefined) steps.push({ step: 'run', command: fields.run, expect: fields.expect ?? 'any' });
  if (fields.tool !== undefined) steps.push({ step: 'tool', tool: fields.tool, expect: fields.expect ?? 'pass' });
  if (fields.output !== undefined) steps.push({ step: 'output', output: fields.output });
  if (fields.fail !== undefined) steps.push({ step: 'fail', failure: fields.fail });
  if (fields.use !== undefined) steps.push({ step: 'use', usage: fields.use });
  if (fields.sleep !== undefined) steps.push({ step: 'sleep', ms: fields.sleep });
  if (fields.exit !== undefined) steps.push({ step: 'exit', code: fields.exit });
  if (fields.resolve !== undefined) steps.push({ step: 'resolve', how: fields.resolve });
  return steps;
}
