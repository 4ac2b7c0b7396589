/** Tokens that a reply is billed with; what is not named is 100 in, 20 out and nothing else. */
interface StepUsage {
  in?: number;
  out?: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

/** A tool that the model asks for: with arguments, or with free text where the tool takes that (`apply_patch`). */
export type Call = { name: string; namespace?: string } & ({ args: Record<string, unknown> } | { input: string });

/** Why a real service refuses a request; each API says it with its own status, headers and body. */
export type Reason =
  | 'rate-limit'
  | 'usage-limit'
  | 'overloaded'
  | 'server-error'
  | 'auth'
  | 'forbidden'
  | 'model-not-found'
  | 'billing'
  | 'context-full';

/** What goes wrong instead of an answer, so many `times`, or for ever; then the rest of the step is played. */
export type Fault = { times?: number } & (
  | { kind: 'refusal'; reason: Reason; retryAfterSeconds?: number; resetAtSeconds?: number }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Not a single byte. */
  | { kind: 'silence' }
  /** The headers, then nothing. */
  | { kind: 'stall' }
  /** The connection breaks in the middle of the answer. */
  | { kind: 'cut' }
  | { kind: 'malformed' }
  | { kind: 'empty' }
  | { kind: 'html' }
  /** The answer begins well, then an error arrives as an event of the stream. */
  | { kind: 'error-event'; reason?: Reason }
);

/** One turn of the scripted model. */
export interface Step {
  think?: string;
  say?: string;
  call?: readonly Call[];
  /** The model that answers, if it is not the requested one, as behind a gateway. */
  model?: string;
  usage?: StepUsage;
  /** The answer ends because it got too long. */
  stop?: 'max-tokens';
  fault?: Fault;
  delayMs?: number;
}

/** Steps in the order of the requests, or a choice made from each request: with several conversations on one address, by prompt and turn. */
export type Script = readonly Step[] | ((request: RecordedRequest) => Step | Promise<Step>);

/** What a request asks of the model, read from any of the APIs. */
export interface RecordedRequest {
  model: string;
  system: string;
  tools: string[];
  /** All that the user said so far, with what the program adds in the user's name. */
  prompt: string;
  /** The last text that the user said; results of tools are not texts of the user. */
  lastUser: string;
  /** How many answers of the model the conversation holds already. */
  turn: number;
  isStream: boolean;
}

/** A step as the model's answer, with everything filled in. */
export interface Reply {
  id: string;
  model: string;
  think: string;
  say: string;
  calls: readonly (Call & { id: string })[];
  usage: Required<StepUsage>;
  stop: 'end' | 'tools' | 'max-tokens';
}
