import type { Fault, Reason, RecordedRequest, Reply } from './step.ts';

/** A complete refusal as it goes over the wire. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** What a fault of kind `refusal` says besides its reason. */
export type RefusalFacts = Omit<Extract<Fault, { kind: 'refusal' }>, 'kind' | 'times'> & { model: string };

/** One public API of a model: its paths, how a request is read, how an answer is written. */
export interface Dialect {
  readonly name: 'anthropic' | 'responses' | 'gemini';
  /** Whether this path asks for an answer, for a count of tokens, or is not of this API. */
  route(path: string): 'answer' | 'count' | undefined;
  read(path: string, body: unknown): RecordedRequest;
  /** The events of a streamed answer, each ready to be sent. */
  frames(reply: Reply): string[];
  /** The same answer in one piece. */
  whole(reply: Reply): unknown;
  count: unknown;
  refusal(facts: RefusalFacts): Refusal;
  errorFrame(reason: Reason): string;
  /** What is said to a request beside the work: a title, a summary, a check. */
  aside(body: unknown): string;
}

/** One server-sent event; APIs that name their events repeat the name in the data. */
export function frame(data: Record<string, unknown>, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in pieces, so that readers of streams have something to put together. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,20}/gu) ?? [];
}
