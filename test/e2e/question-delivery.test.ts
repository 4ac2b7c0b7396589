import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { requestLines, ToolAttempt } from '../support/tool-attempt.ts';

const QUESTION = { question: 'Which colour?' };

/** Asks, and stops waiting for the answer as a program does whose engine is killed; the response to the next call proves it. */
async function askAndStopWaiting({ caller, run, tools }: ToolAttempt): Promise<void> {
  const socket = connect(tools.socket);
  const input = { token: tools.token, call: 'one', arguments: QUESTION };
  socket.write(requestLines([{ id: 1, operation: 'ask_user', input }]));
  for await (const _ of caller.stream('watch-run', { run }, { signal: new AbortController().signal }))
    if ((await caller.call('list-questions', { run })).length > 0) break;
  const next = { type: 'ask', id: 2, operation: 'list_notes', input: { ...input, call: 'two', arguments: {} } };
  socket.write(`{"type":"cancel","id":1}\n${JSON.stringify(next)}\n`);
  for await (const line of createInterface({ input: socket })) if (JSON.parse(line).id === 2) break;
  socket.destroy();
}

const answer = ({ caller, run }: ToolAttempt) =>
  caller.call('answer-question', { run, question: 'q1-1', answer: 'blue' });

describe('the answer to a question whose call was interrupted', () => {
  it('is returned by the call that is repeated, and sent by no message', async () => {
    await using attempt = await ToolAttempt.start();
    await askAndStopWaiting(attempt);
    await answer(attempt);
    for (const _ of [1, 2])
      expect(await attempt.call('ask_user', QUESTION, 'one')).toMatchObject({
        value: { answered: true, answer: 'blue' },
      });
    await attempt.end();
    const { tasks } = await attempt.caller.call('show-run', { run: attempt.run });
    expect(tasks).toMatchObject([{ status: 'done', attempts: 1 }]);
  });

  it('continues the agent when its turn ended without repeating the call', async () => {
    await using attempt = await ToolAttempt.start();
    await askAndStopWaiting(attempt);
    await answer(attempt);
    const first = join(attempt.project.root, 'tools');
    rmSync(first);
    await appears(first);
    await attempt.end();
    const { tasks } = await attempt.caller.call('show-run', { run: attempt.run });
    expect(tasks).toMatchObject([{ status: 'done', attempts: 2 }]);
    expect(readFileSync(join(attempt.project.root, 'prompts'), 'utf8')).toContain('> Which colour?\n\nblue');
  });
});
