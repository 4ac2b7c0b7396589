import type { z } from 'zod';
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../schema/actor.ts';
import type { AccessRole } from './authorize.ts';

/** Where an operation runs: `engine` ones change runs, `living-engine` ones too, but no process becomes the engine for them; `anywhere` ones read, or write files of the user. */
export type Where = 'engine' | 'living-engine' | 'anywhere';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** How an operation is reached by HTTP; `{name}` is a field of its input. `GET` reads, everything else acts. */
export type Route = `${RouteMethod} /api/${string}` | { unreachable: string };

/** One call of an operation: who calls, through which entry point, and until when. */
export type Call = { signal: AbortSignal; origin: Origin };

type Contract<I extends z.ZodType, O extends z.ZodType> = {
  name: string;
  where: Where;
  /** One sentence for the reference and the OpenAPI description. */
  summary: string;
  http: Route;
  /** The roles that may call it; a role that is not listed may not. */
  allow: readonly AccessRole[];
  input: I;
  output: O;
  /** The runs that its input names besides `run`; a token that is bound to one run does not reach them. */
  otherRuns?(input: Record<string, unknown>): readonly unknown[];
};

/** An operation: its input is checked where it is run, the same for every entry point. */
export function operation<I extends z.ZodType, O extends z.ZodType>(
  definition: Contract<I, O> & {
    run(app: App, input: z.output<I>, call: Call): Promise<z.output<O>>;
  },
) {
  return {
    ...definition,
    kind: 'operation' as const,
    run: (app: App, input: unknown, call: Call): Promise<z.output<O>> =>
      definition.run(app, checked(definition, input), call),
  };
}

/** An operation that answers with items as they happen; `cursor` is the field of an item that is passed back as `after`. */
export function stream<I extends z.ZodType, O extends z.ZodType>(
  definition: Contract<I, O> & {
    cursor: string;
    /** Items that exist at the same time come as one batch. */
    run(app: App, input: z.output<I>, call: Call): AsyncIterable<readonly z.output<O>[]>;
  },
) {
  return {
    ...definition,
    kind: 'stream' as const,
    run: (app: App, input: unknown, call: Call): AsyncIterable<readonly z.output<O>[]> =>
      definition.run(app, checked(definition, input), call),
  };
}

function checked<I extends z.ZodType>({ name, input: schema }: { name: string; input: I }, input: unknown) {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
  throw new AppError('INPUT_INVALID', `${name}: ${issues.join('; ')}`, { issues });
}
