import { describe, expect, it } from 'vitest';
import { toolCall } from '../../src/agents/tool-call.ts';

describe('a tool call', () => {
  it.each(['AskUserQuestion', 'ask_user', 'request_user_input'])('is a question, too, where it is %s', (name) => {
    const input = { questions: [{ question: 'Which one?', options: [] }, { question: 'And when?' }] };
    expect(toolCall({ id: 'a', name, input })).toEqual([
      { type: 'tool-call', id: 'a', name, input },
      { type: 'question', text: 'Which one?' },
      { type: 'question', text: 'And when?' },
    ]);
  });

  it('is only a call if it contains no question, or one in an unknown form', () => {
    const input = { questions: [{ question: 'Which one?' }] };
    expect(toolCall({ id: 'a', name: 'Bash', input })).toHaveLength(1);
    expect(toolCall({ id: 'a', name: 'AskUserQuestion', input: { questions: 'x' } })).toHaveLength(1);
    expect(toolCall({ id: 'a', name: 'AskUserQuestion', input: undefined })).toHaveLength(1);
  });
});
