import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** The first cycle reaches the first of two milestones; the second one never ends. */
const SCENARIO = `
agents: [ada]
plays:
  - role: assess
    steps:
      - output: { milestones: [{ title: One, description: one, check: test -e one.txt }, { title: Two, description: two }] }
  - task: cycle/1/implement
    steps: [{ edit: { path: one.txt, write: "1" } }]
  - task: cycle/1/review
    steps:
      - output:
          steps: [{ step: 1, result: pass, note: "ls shows one.txt" }, { step: 2, result: fail, note: missing }]
          findings: []
          summary: one of two
  - task: cycle/2/implement
    steps: [{ edit: { path: half.txt, write: "2" } }, { say: working }, { sleep: 600000 }]
`;

describe('a run in cycles', { timeout: 120_000 }, () => {
  it('waits for the approval of its plan, and ends with what has landed when a person wraps it up', async () => {
    await using project = await scratch();
    const args = ['cycle', 'Count to two', '--scenario', join(project.root, 'scenario.yaml'), '--plan-only', '--json'];
    const planned = await project.mh(args);
    const { run, status, attention } = RunDocument.parse(planned.json);
    expect([planned.code, status], planned.stderr).toEqual([4, 'held']);
    expect(attention[0]?.reason).toContain('check: test -e one.txt');
    const running = project.start(['approve', run, '--json']);
    await running.received('cycle/2/implement  attempt 1');
    const wrapped = await project.mh(['cycle', 'wrap-up', run, '--json']);
    const ended = RunDocument.parse(wrapped.json);
    expect([wrapped.code, ended.status], wrapped.stderr).toEqual([1, 'partial']);
    expect(wrapped.stderr).toContain(`manyhands report ${run}`);
    expect(wrapped.stderr).toContain('No pull request was opened');
    await running.done;
    expect(ended.progress?.points.map(({ by }) => by)).toEqual(['check', null]);
    expect(project.git('ls-tree', '--name-only', `mh/${run}`)).toContain('one.txt');
    expect(project.git('ls-tree', '--name-only', `mh/${run}`)).not.toContain('half.txt');
    expect((await project.mh(['report', run])).stdout).toContain('wrapped up');
  });
});

async function scratch(): Promise<Scratch> {
  const project = await makeScratch({ files: { 'hello.txt': 'hello\n' }, check: 'test -e hello.txt' });
  writeFileSync(join(project.root, 'scenario.yaml'), SCENARIO);
  return project;
}
