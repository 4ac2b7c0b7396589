import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentPick } from '../../../src/schema/document.ts';
import { BenchItem, BenchResult, ModelScore } from '../../../src/schema/model.ts';
import { INTERVALS } from '../../bench/solutions.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { makeModelProject } from './model-project.ts';

const GOOD = `#!/bin/sh
cat > /dev/null
cat > intervals.mjs <<'END'
${INTERVALS}
END
`;
const BAD = '#!/bin/sh\ncat > /dev/null\necho done > note.txt\n';
const SETTINGS = `agents:
  bad: { kind: command, command: ./bad.sh }
  good: { kind: command, command: ./good.sh }
checks: ["false"]
routing: { learnAfter: 1 }
`;
const FILES = { 'good.sh': GOOD, 'bad.sh': BAD, '.manyhands/config.yaml': SETTINGS };
const Executed = z.object({ items: z.array(BenchItem), results: z.array(BenchResult) });

describe('models bench', { timeout: 240_000 }, () => {
  it('only lists tasks, agents and the maximum cost, unless it is executed', async () => {
    await using project = makeModelProject(FILES);
    const items = z.array(BenchItem).parse(await project.json('models', 'bench', '--budget', '2', '--agent', 'good'));
    expect(
      items.map(({ kind, runs, reason, most, run }) => [kind, runs, reason?.slice(0, 13) ?? null, most, run]),
    ).toEqual([
      ['code', true, null, 0.5, null],
      ['review', true, null, 0.5, null],
      ['security', true, null, 0.5, null],
      ['long-context', true, null, 0.5, null],
      ['multimodal', false, 'not supported', 0.5, null],
    ]);
    expect(existsSync(join(project.root, 'data', 'bench'))).toBe(false);
    expect(await project.json('ls', '--all')).toEqual([]);

    const ordered = `agents:
  bad: { kind: command, command: ./bad.sh }
  claude: { kind: claude, command: ./claude.sh, model: claude-sonnet-4-5 }
routing: { order: [bad, claude] }
`;
    writeFileSync(join(project.repo, '.manyhands/config.yaml'), ordered);
    const alone = z.array(BenchItem).parse(await project.json('models', 'bench', '--agent', 'claude'));
    expect(new Set(alone.map(({ agent }) => agent))).toEqual(new Set(['claude']));
    expect(alone.every(({ estimate }) => (estimate ?? 0) > 0)).toBe(true);
  });

  it('runs real jobs that a check decides, and routing uses their results', async () => {
    await using project = makeModelProject(FILES);
    const { results } = Executed.parse(await project.json('models', 'bench', '--kind', 'code', '--execute'));
    expect(results.map(({ agent, verdict, reason }) => [agent, verdict, reason]).sort()).toEqual([
      ['bad', 'fail', 'its check failed'],
      ['good', 'pass', 'its check passed'],
    ]);
    const scores = z.array(ModelScore).parse(await project.json('models', 'scores', '--role', 'implement'));
    expect(scores.map(({ agent, score, counts }) => [agent, score, counts])).toEqual([
      ['good', 0.6, true],
      ['bad', 0.4, true],
    ]);
    const pick = AgentPick.parse(await project.json('models', 'pick', '--role', 'implement'));
    expect(pick.agent).toBe('good');
    expect(pick.because).toMatch(/^best verified results for the role implement: good 0\.6 \(1 of 1 code benchmarks\)/);
    const report = await project.mh('models', 'report');
    expect(report.stdout).toMatch(/^\| implement \| good \|/m);
  });

  it.runIf(TESTS_ALL)('is finished by a resume after the engine was killed, and counts once', async () => {
    const slow = `#!/bin/sh\nuntil [ -e "$HOME/go" ]; do sleep 0.05; done\n${GOOD.slice(GOOD.indexOf('cat'))}`;
    await using project = makeModelProject({
      'good.sh': slow.replace('#!/bin/sh\n', '#!/bin/sh\ntouch "$HOME/begun"\n'),
      '.manyhands/config.yaml': 'agents:\n  good: { kind: command, command: ./good.sh }\n',
    });
    const bench = project.start('models', 'bench', '--kind', 'code', '--execute');
    while (!existsSync(join(project.root, 'begun'))) await pause(50);
    bench.kill();
    await bench.ended;
    writeFileSync(join(project.root, 'go'), '');
    const [run] = z.array(z.object({ run: z.string() })).parse(await project.json('ls', '--all'));
    expect((await project.mh('resume', run?.run ?? '')).code).toBe(0);
    const scores = z.array(ModelScore).parse(await project.json('models', 'scores', '--role', 'implement'));
    expect(scores).toMatchObject([{ agent: 'good', bench: { good: 1, bad: 0 } }]);
  });

  it('rejects what it cannot do, with the reason', async () => {
    await using project = makeModelProject(FILES);
    expect(await project.mh('models', 'bench', '--kind', 'poetry')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use one of code, review, security, long-context, multimodal.'),
    });
    expect(await project.mh('models', 'bench', '--agent', 'review=good')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('A benchmark has no roles'),
    });
    expect(await project.mh('models', 'bench', '--kind', 'multimodal', '--execute')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('not supported'),
    });
  });
});
