import { z } from 'zod';
import { momentText, moneyText } from '../../core/view/amounts.ts';
import { AppError } from '../../errors.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { StartRequest } from '../../schema/request.ts';
import { pickFor, roleTraits } from '../models/pick-agent.ts';
import { viewAgents } from '../models/view-agents.ts';
import { operation } from '../operation.ts';

/** What a run would do at most, before it is started. */
export const RunOutline = z.object({
  recipe: z.string(),
  title: z.string(),
  phases: z.array(
    z.object({
      title: z.string(),
      role: z.string(),
      most: z.number().int().nullable().describe('Maximum number of tasks; null where a plan decides.'),
      agent: z.string().nullable(),
      because: z.string(),
    }),
  ),
  cost: z.object({
    tasks: z.number().int().nullable().describe('Maximum number of tasks; null where a plan decides.'),
    attemptsPerTask: z.number().int(),
    perAttempt: z.number().describe('US dollars that an attempt reserves (budget.attempt).'),
    most: z
      .number()
      .nullable()
      .describe('Maximum cost in US dollars: the budget, if there is one; null where nothing limits it.'),
    budget: z.number().nullable(),
  }),
  stops: z.array(z.string()).describe('When the run stops.'),
  started: z.literal(false),
});

/** Shows what a request would do at most: its phases, agents, maximum cost and stop conditions. */
export const outlineRun = operation({
  name: 'outline-run',
  where: 'anywhere',
  summary: 'Show what a run would do, its maximum cost and when it stops, without starting it',
  http: 'POST /api/outline',
  allow: ['operator'],
  tool: { inputOf: 'start-run' },
  input: StartRequest,
  output: RunOutline,
  run: async (app, { recipe: name, input, options }) => {
    const recipe = recipeOf(name);
    const view = await viewAgents(app, options.dir, options);
    const { config } = view;
    const outline = recipe.outline?.(config, input, options.maxIterations);
    if (outline === undefined) throw new AppError('REFUSED', `The recipe ${name} has no outline`, { recipe: name });
    const phases = await Promise.all(
      outline.phases.map(async (phase) => {
        const { agent, because } = pickFor(view, { role: phase.role, traits: await roleTraits(view, phase.role) });
        return { ...phase, agent, because };
      }),
    );
    const tasks = phases.reduce<number | null>(
      (sum, { most }) => (sum === null || most === null ? null : sum + most),
      0,
    );
    const { attempts } = config.limits;
    const perAttempt = config.budget.attempt;
    const budget = options.budget ?? config.budget.run ?? null;
    const possible = tasks === null ? null : Math.round(tasks * attempts * perAttempt * 100) / 100;
    return {
      recipe: name,
      title: options.title ?? recipe.title(input),
      phases,
      cost: {
        tasks,
        attemptsPerTask: attempts,
        perAttempt,
        most: budget === null ? possible : Math.min(budget, possible ?? budget),
        budget,
      },
      stops: [
        ...outline.stops,
        ...(budget === null ? [] : [`the budget of ${moneyText(budget)} is used`]),
        ...(options.until === undefined ? [] : [`the deadline is reached, ${momentText(options.until)}`]),
      ],
      started: false as const,
    };
  },
});
