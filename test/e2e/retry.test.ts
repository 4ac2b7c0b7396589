import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunDocument } from '../../src/schema/document.ts';
import { runAndReport } from '../hostile/hostile-run.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Each prompt names what the agent does wrong. */
const AGENT = `#!/bin/sh
case "$(cat)" in
  *SLOW*) sleep 2; echo done > docs/slow.md ;;
  *SCOPE*) echo done > src/b.js ;;
  *KEPT*) test -e docs/by-hand.md && echo done > docs/kept.md || exit 1 ;;
  *OTHER*) echo bad > docs/bad.md; exit 1 ;;
esac
`;

/** The first attempt costs so much that the budget allows no second one. */
const SCENARIO = `plays:
  - attempt: 1
    steps:
      - use: { costUsd: 1 }
      - fail: { kind: implementation, message: "No" }
  - steps:
      - edit: { path: docs/broken.md, write: done }
`;

function job(project: Scratch, ...options: string[]) {
  return runAndReport(project, 'job', ...options, '--agent', 'command:./agent.sh', '--retry', 'none');
}

/** Runs the retry that the run suggests, exactly as printed. */
async function follow(project: Scratch, { tasks, attention }: RunDocument) {
  const hint = tasks[0]?.diagnosis?.nextStep ?? attention[0]?.nextStep ?? '';
  const [, command = ''] = /manyhands (retry [^;,]*\w)/.exec(hint) ?? [];
  return { command, ...(await runAndReport(project, ...command.split(' '))) };
}

it('removes the cause of a failure when the printed retry is run', async () => {
  const settings =
    'limits: { attempts: 2, retryDelaySeconds: 0 }\nbudget: { attempt: 1 }\nworkspace: { dir: ../trees }\n';
  const files = { 'src/a.js': 'let a;\n', 'docs/a.md': 'a\n', 'agent.sh': AGENT, 'broken.yaml': SCENARIO };
  await using project = await makeScratch({ files: { ...files, '.manyhands/config.yaml': settings } });

  const slow = await job(project, 'SLOW', '--stop', 'time=1s');
  expect(slow.run.tasks[0]).toMatchObject({ status: 'failed' });
  const slept = await follow(project, slow.run);
  expect(slept.command).toMatch(/^retry \w+ job\/1 --stop time=\d+s$/);
  expect(slept.run).toMatchObject({ status: 'unverified', tasks: [{ status: 'done', attempts: 2 }] });

  const scoped = await runAndReport(project, 'job', 'SCOPE', '--agent', 'command:./agent.sh', '--scope-allow', 'docs');
  expect(scoped.run.tasks[0]?.status).toBe('blocked');
  const allowed = await follow(project, scoped.run);
  expect(allowed.command).toBe(`retry ${scoped.run.run} job/1 --scope-allow src/b.js`);
  expect(allowed.run.tasks[0]).toMatchObject({ status: 'done' });

  const broke = await runAndReport(project, 'job', 'BROKEN', '--scenario', 'broken.yaml', '--budget', '1.50');
  expect(broke.run.tasks[0]?.status).toBe('failed');
  const paid = await follow(project, broke.run);
  expect(paid.command).toBe(`retry ${broke.run.run} --budget 2.00`);
  expect(paid.run).toMatchObject({ tasks: [{ status: 'done' }] });

  const left = await job(project, 'KEPT');
  const workspace = join(dirname(project.repo), 'trees', `${left.run.run}-1`);
  expect((await project.mh(['open', left.run.run, 'job/1'])).stdout.trim()).toBe(realpathSync(workspace));
  writeFileSync(join(workspace, 'docs/by-hand.md'), 'by hand');
  for (const _ of [1, 2]) {
    const blocked = await runAndReport(project, 'retry', left.run.run);
    expect(blocked.run.tasks[0]?.status).toBe('blocked');
    expect(JSON.stringify(blocked.run)).toContain('was changed by another user or process');
    left.run = blocked.run;
  }
  expect(existsSync(join(workspace, 'docs/by-hand.md'))).toBe(true);
  const kept = await follow(project, left.run);
  expect(kept.command).toBe(`retry ${left.run.run} job/1 --keep-changes`);
  expect(kept.run.tasks[0]).toMatchObject({ status: 'done' });
  expect(project.git('show', `mh/${left.run.run}:docs/by-hand.md`)).toBe('by hand');
  const undecided = await project.mh(['retry', broke.run.run, '--keep-changes']);
  expect(undecided.code).not.toBe(0);

  const other = await job(project, 'OTHER');
  expect(other.run.tasks[0]?.status).toBe('failed');
  writeFileSync(join(project.repo, 'second.sh'), '#!/bin/sh\necho done > docs/other.md\n', { mode: 0o755 });
  const again = await runAndReport(project, 'retry', other.run.run, '--requeue', '-a', 'command:./second.sh');
  expect(again.run.tasks[0]).toMatchObject({ status: 'done', agent: 'second' });
  expect(existsSync(join(project.repo, 'docs/other.md'))).toBe(false);
  const { json: savedWork } = await project.mh(['salvage', other.run.run, '--json']);
  const first = { attempt: 1, landed: false };
  expect(savedWork).toMatchObject([{ attempt: 2, landed: true }, first, first]);
  const report = await project.mh(['report', other.run.run]);
  expect(report.stdout).toContain('agent second');

  const cleaned = await project.mh(['clean', '--apply', '--older-than', '0']);
  expect(cleaned.code, cleaned.stderr).toBe(0);
  expect(readdirSync(join(dirname(project.repo), 'trees'))).toEqual([]);
  expect(readdirSync(join(project.home, 'workspaces'))).toEqual([]);
  const inside = await project.mh(['config', 'set', 'workspace.dir', 'trees']);
  expect(inside.code).toBe(0);
  const refused = await project.mh(['job', 'OTHER', '--agent', 'command:./agent.sh']);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('inside the repository')]);
});
