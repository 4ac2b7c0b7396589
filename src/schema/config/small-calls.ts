import { z } from 'zod';

/** Who answers small questions: the title of a run, the tier of a task, why a task failed. */
export const SmallCallsConfig = z
  .strictObject({
    use: z
      .enum(['auto', 'api', 'agent', 'rules'])
      .default('auto')
      .describe(
        'api: a model by its key in the environment; agent: the light tier of an agent; rules: no model is called. auto: an api or a light model, but only of a vendor whose agent works in the run.',
      ),
    models: z
      .strictObject({
        anthropic: z.string().default('claude-haiku-4-5').describe('Asked with ANTHROPIC_API_KEY.'),
        openai: z.string().default('gpt-6-luna').describe('Asked with OPENAI_API_KEY.'),
        gemini: z.string().default('gemini-3.1-flash-lite').describe('Asked with GEMINI_API_KEY.'),
      })
      .prefault({}),
    budget: z.number().nonnegative().default(0.2).describe('Most US dollars they may cost in a run; 0 calls no model.'),
  })
  .prefault({});
export type SmallCallsConfig = z.infer<typeof SmallCallsConfig>;
