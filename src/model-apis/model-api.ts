import type { Usage } from '../schema/usage.ts';
import type { World } from '../world.ts';

export type Vendor = 'anthropic' | 'openai' | 'gemini';

/** A question that is answered with one JSON object. */
type ModelQuestion = {
  model: string;
  /** What is asked for, and in what tone. */
  system: string;
  text: string;
  /** The JSON Schema of the answer. */
  schema: Record<string, unknown>;
};

/** What came of one request; `usage` is told honestly also when nothing could be made of the answer. */
export type ModelAnswer =
  | { kind: 'answered'; output: unknown; usage: Usage }
  | { kind: 'failed'; problem: string; usage: Usage };

/** Who asks and how long is waited; one request, never a second. */
export type Asking = { env: NodeJS.ProcessEnv; world: World; timeoutMs: number };

/** A vendor's own interface to its models, reached with a key from the environment. */
export interface ModelApi {
  readonly vendor: Vendor;
  /** Whether there is a key to ask with. */
  hasKey(env: NodeJS.ProcessEnv): boolean;
  /** Asks once; failures are values, only an abort throws. */
  ask(question: ModelQuestion, asking: Asking, signal: AbortSignal): Promise<ModelAnswer>;
}

/** Most tokens of an answer: a few sentences, or the text of a pull request. */
export const MAX_ANSWER_TOKENS = 2_000;
/** The one tool that a model is made to call: its arguments are the answer. */
export const ANSWER_TOOL = 'answer';
