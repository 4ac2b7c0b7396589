import type { z } from 'zod';
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../schema/actor.ts';
import type { Integration } from '../schema/config/integrations.ts';
import type { AccessRole } from './authorize.ts';

/** Where an operation runs: `engine` ones change runs, `living-engine` ones too, but no process becomes the engine for them; `anywhere` ones read, or write files of the user. */
export type Where = 'engine' | 'living-engine' | 'anywhere';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The HTTP route of an operation; `{name}` is a field of its input. `GET` reads, every other method acts. */
export type Route = `${RouteMethod} /api/${string}` | { unreachable: string };

/**
 * How an operation is offered as a tool, if not to everyone who may call it: to nobody, and why (`byPrograms`: programs that
 * an agent starts call it all the same); only to agents of tasks that may write; with the input of another one, which
 * describes it; or only where the person configured an integration, in which case the operation refuses other calls.
 */
export type ToolUse =
  | { none: string; byPrograms?: true }
  | { only: 'writing-tasks' }
  | { inputOf: string }
  | { needs: Integration };

/** The context of a call: the caller, its entry point, and the abort signal. */
export type Call = { signal: AbortSignal; origin: Origin };

type Contract<I extends z.ZodType, O extends z.ZodType> = {
  name: string;
  where: Where;
  /** One sentence for the reference and the OpenAPI description. */
  summary: string;
  http: Route;
  /** The roles that may call it; all others are denied. */
  allow: readonly AccessRole[];
  input: I;
  output: O;
  tool?: ToolUse;
  /** Whether it also works, on an empty store, where the database cannot be opened. */
  toleratesDamage?: boolean;
  /** A decision of a person: it needs a code where `approve.confirm` says so, in the field `confirm` of the input. */
  decides?: true;
  /** What of this input only a person may do, unless they allow it to their assistant (`assistant.decide`). */
  reserved?(input: Record<string, unknown>): string | undefined;
  /** The runs in its input other than `run`; a token that is bound to one run has no access to them. */
  otherRuns?(input: Record<string, unknown>): readonly unknown[];
};

/** An operation; its input is validated in the process that runs it, the same for every entry point. */
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

/** An operation that returns items as they occur; `cursor` is the field of an item that is passed as `after` to continue. */
export function stream<I extends z.ZodType, O extends z.ZodType>(
  definition: Contract<I, O> & {
    cursor: string;
    /** Items that exist at the same time are returned as one batch. */
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
