import { expect, it } from 'vitest';
import type { Questions } from '../../../src/cli/terminal/terminal-prompts.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { started } from '../../support/given.ts';
import { documentOf, open, shown, testProgram } from '../cli-run.ts';

const HELD: RunEvent = {
  type: 'run.held',
  data: {
    hold: {
      what: 'base-red',
      reason: 'npm test fails on the base, before any work',
      files: [],
      subject: 't',
      options: [
        { id: 'repair', label: 'repair the base first' },
        { id: 'continue', label: 'continue' },
      ],
    },
  },
};
const EVENTS = shown([started(), HELD]);

function answering(...answers: (string | null)[]): Questions {
  return { choose: async () => null, text: async () => answers.shift() ?? null };
}

async function waitWith(questions: Questions | undefined, ...flags: string[]) {
  const document = documentOf(EVENTS);
  const answers = { 'approve-run': document, 'reject-run': document, 'show-run': document };
  const streams = { 'watch-run': open(EVENTS) };
  const program = testProgram({ answers, streams, ...(questions === undefined ? {} : { questions }) });
  const ended = await program.run('approve', 'r0000001', '--option', 'repair', ...flags);
  const calls = ended.calls.filter(({ name }) => name === 'approve-run' || name === 'reject-run').slice(1);
  return { ...ended, calls };
}

it('asks on a terminal until an option is named, and answers the hold with it', async () => {
  const { calls, stderr } = await waitWith(answering('perhaps', 'repair'));
  expect(calls).toMatchObject([{ name: 'approve-run', input: { run: 'r0000001', option: 'repair' } }]);
  expect(stderr).toContain('npm test fails on the base');
});

it('ends the run when the user chooses that', async () => {
  const { calls } = await waitWith(answering('end'));
  expect(calls).toMatchObject([{ name: 'reject-run', input: { run: 'r0000001' } }]);
});

it.each([
  ['there is no terminal', undefined, []],
  ['the user cancels', answering(null), []],
  ['the output is JSON', answering('repair'), ['--json']],
])('leaves the run held when %s', async (_when, questions, flags) => {
  const { calls, code } = await waitWith(questions, ...flags);
  expect([calls, code]).toEqual([[], 4]);
});
