import { describe, expect, it } from 'vitest';
import { messageTarget } from '../../src/cli/commands/control/send.ts';
import { runDocument } from '../../src/core/view/document.ts';
import { added, attempted, given, spec, started } from '../support/given.ts';

const two = given(started(), added(spec('implement/1.1', { name: 'parser' }), spec('implement/1.2')));
const running = two.and(attempted('implement/1.2'));

describe('the task that a message is for', () => {
  it.each([
    { words: ['implement/1.1', 'Use', 'tabs'], task: 'implement/1.1', rest: ['Use', 'tabs'] },
    { words: ['1.1', '-'], task: 'implement/1.1', rest: ['-'] },
    { words: ['parser', 'Use tabs'], task: 'implement/1.1', rest: ['Use tabs'] },
    { words: ['Use', 'tabs'], task: 'implement/1.2', rest: ['Use', 'tabs'] },
    { words: ['parser'], task: 'implement/1.2', rest: ['parser'] },
  ])('is found in $words', ({ words, task, rest }) => {
    expect(messageTarget(runDocument(running.state), words)).toEqual({ task, words: rest });
  });

  it('must exist where a word can only be its key', () => {
    expect(() => messageTarget(runDocument(running.state), ['implement/1.3', 'Use tabs'])).toThrow(
      'Run r0000001 has no task implement/1.3; it has parser, implement/1.2',
    );
    const sentence = ['and/or', 'is', 'wrong'];
    expect(messageTarget(runDocument(running.state), sentence)).toEqual({ task: 'implement/1.2', words: sentence });
  });

  it('does not exist in a run that ended before its first task', () => {
    expect(() => messageTarget(runDocument(given(started()).state), ['Use tabs'])).toThrow(
      'Run r0000001 has no task yet, so no agent can receive the message',
    );
  });

  it('must be named where several tasks could receive it', () => {
    expect(() => messageTarget(runDocument(two.state), ['Use tabs'])).toThrow(
      'Several tasks could receive the message (parser, implement/1.2). Name one: manyhands send r0000001 <task> <message>',
    );
  });
});
