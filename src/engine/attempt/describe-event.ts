import type { AgentEvent } from '../../agents/agent.ts';

export type DescribedEvent = { kind: string; text: string; data?: unknown };

/** An agent's event as a row of the transcript: a kind, a text to search and read, and further data. */
export function describeEvent(event: AgentEvent): DescribedEvent {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'question':
    case 'terminal':
      return { kind: event.type, text: event.text };
    case 'session':
      return { kind: event.type, text: event.id };
    case 'tool-call':
      return { kind: event.type, text: event.name, data: event };
    case 'tool-result':
      return { kind: event.type, text: event.output, data: { id: event.id, isError: event.isError } };
    case 'file-change':
      return { kind: event.type, text: `${event.change} ${event.path}`, data: event };
    case 'usage':
      return { kind: event.type, text: '', data: event.usage };
    case 'retry':
    case 'permission-denied':
      return { kind: event.type, text: event.message, data: event };
    case 'result':
      return { kind: event.type, text: event.text, data: event };
    case 'unknown':
      return { kind: event.type, text: event.raw };
  }
}
