import type { ModelVendor } from '../agents/agent.ts';
import type { Usage } from '../schema/usage.ts';
import type { World } from '../world.ts';

/** A question that is answered with one JSON object. */
type ModelQuestion = {
  model: string;
  /** The instructions: task and tone. */
  system: string;
  text: string;
  /** The JSON Schema of the answer. */
  schema: Record<string, unknown>;
};

/** The result of one request; `usage` is also reported when the answer cannot be used. */
export type ModelAnswer =
  | { kind: 'answered'; output: unknown; usage: Usage }
  | { kind: 'failed'; problem: string; usage: Usage };

/** The key's environment, the clock and the time limit of one request, which is never repeated. */
export type RequestOptions = { env: NodeJS.ProcessEnv; world: World; timeoutMs: number };

/** A vendor's model API, used with a key from the environment. */
export interface ModelApi {
  readonly vendor: ModelVendor;
  /** Whether the environment has a key. */
  hasKey(env: NodeJS.ProcessEnv): boolean;
  /** Sends one request; failures are values, only an abort throws. */
  request(question: ModelQuestion, options: RequestOptions, signal: AbortSignal): Promise<ModelAnswer>;
}

/** The token limit of an answer: a few sentences, or the text of a pull request. */
export const MAX_ANSWER_TOKENS = 2_000;
/** The only tool, which the model is forced to call: its arguments are the answer. */
export const ANSWER_TOOL = 'answer';
