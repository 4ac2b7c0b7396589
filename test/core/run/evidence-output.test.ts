import { describe, expect, it } from 'vitest';
import { reportToProject } from '../../../src/core/finish/decide-finish.ts';
import { recordGate } from '../../../src/core/land/decide-landing.ts';
import { proofKey } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { wholeTask } from '../../../src/core/view/shown-state.ts';
import { added, evidence, given, landed, spec, started, worked } from '../../support/given.ts';

const passed = { ...evidence('test', 'pass'), output: 'all 12 passed' };
const failed = { ...evidence('lint', 'fail'), output: 'a.ts:1 unused' };
const before = given(started(), added(spec('a')), ...worked('a'));
const story = before.and(...recordGate(['a'], 'commit', passed), ...recordGate(['a'], 'commit', failed), landed('a'));
const read = (version: number) => (version === before.state.version + 1 ? passed.output : undefined);

describe('the output of a check', () => {
  it('is not in the state if the check passed, whose event has it', () => {
    const { tasks, proven } = story.state;
    const { output: _, ...kept } = passed;
    const expected = { ...kept, outputAt: before.state.version + 1 };
    expect(tasks.a?.evidence).toEqual([expected, failed]);
    expect(proven[proofKey(passed)]).toEqual(expected);
  });

  it('is in every document, and in what the project records', () => {
    expect(runDocument(story.state, read).tasks[0]?.evidence).toEqual([passed, failed]);
    expect(wholeTask(story.state.tasks.a ?? expect.fail(), read).evidence).toEqual([passed, failed]);
    const [, proved] = reportToProject(story.state, read);
    expect(proved).toEqual({ type: 'project.proved', data: { evidence: passed } });
  });

  it('is absent from a document where nothing can be read, as is its place', () => {
    const { output: _, ...kept } = passed;
    expect(runDocument(story.state).tasks[0]?.evidence).toEqual([kept, failed]);
  });

  it('of a check that passed is not kept with an attempt that was followed by another', () => {
    const { output: _, ...kept } = passed;
    const retried = before.and(...recordGate(['a'], 'commit', passed), ...worked('a', 2));
    expect(retried.state.tasks.a?.attempts[0]?.ended?.evidence).toEqual([kept]);
  });
});
