import { z } from 'zod';
import type { AgentEvent } from './agent.ts';

type Call = Omit<Extract<AgentEvent, { type: 'tool-call' }>, 'type'>;

/** The tools of Claude, Gemini and Codex that ask the user a question. */
const QUESTION_TOOLS = new Set(['AskUserQuestion', 'ask_user', 'request_user_input']);
const QuestionInput = z.object({ questions: z.array(z.object({ question: z.string().min(1) })).min(1) });

/** A tool call as events; one that asks the user is also a question. */
export function toolCall(call: Call): AgentEvent[] {
  const questions = QUESTION_TOOLS.has(call.name) ? QuestionInput.safeParse(call.input).data?.questions : undefined;
  return [
    { type: 'tool-call', ...call },
    ...(questions ?? []).map(({ question }) => ({ type: 'question' as const, text: question })),
  ];
}
