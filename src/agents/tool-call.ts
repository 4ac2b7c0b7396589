import { z } from 'zod';
import type { AgentEvent } from './agent.ts';

type Call = Omit<Extract<AgentEvent, { type: 'tool-call' }>, 'type'>;

/** Tools by which agents ask the person: Claude's, Gemini's and Codex' names for it. */
const ASKING = new Set(['AskUserQuestion', 'ask_user', 'request_user_input']);
const Asked = z.object({ questions: z.array(z.object({ question: z.string().min(1) })).min(1) });

/** A call of a tool as events; one that asks the person something is a question, too. */
export function toolCall(call: Call): AgentEvent[] {
  const asked = ASKING.has(call.name) ? Asked.safeParse(call.input).data?.questions : undefined;
  return [
    { type: 'tool-call', ...call },
    ...(asked ?? []).map(({ question }) => ({ type: 'question' as const, text: question })),
  ];
}
