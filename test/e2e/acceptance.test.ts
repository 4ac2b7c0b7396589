import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Acceptance, Judgement } from '../../src/schema/acceptance.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

/** Works, or judges as a file in its home folder says. */
const AGENT = `#!/bin/sh
case "$MANYHANDS_ROLE" in judge) cat > "$HOME/asked"; cat "$HOME/opinion"; exit 0 ;; esac
cat > /dev/null
mkdir -p src; echo 'export const x = 1;' > src/made.ts
printf '\\033[31m<script>alert(1)</script>'
`;

/** Looks like a token of a code host, and is none. */
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

async function scratch(): Promise<Scratch & { run: string }> {
  const settings =
    'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["! grep -q bad src/*.ts"]\nlimits: { attempts: 1 }\n';
  const files = { 'agent.sh': AGENT, 'src/old.ts': 'export {};\n', '.manyhands/config.yaml': settings };
  const project = await makeScratch({ files });
  const { run } = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
  return Object.assign(project, { run });
}

async function verified(project: Scratch, ...args: string[]): Promise<Acceptance & { code: number | null }> {
  const { json, code, stderr } = await project.mh(['verify', ...args, '--json']);
  const acceptance = Acceptance.safeParse(json);
  if (!acceptance.success) throw new Error(`verify ended with ${code}: ${stderr}`);
  return { ...acceptance.data, code };
}

async function judged(project: Scratch, ...args: string[]): Promise<Judgement & { code: number | null }> {
  const { json, code, stdout, stderr } = await project.mh(['judge', ...args, '--json']);
  const judgement = Judgement.safeParse(json);
  if (!judgement.success) throw new Error(`judge ended with ${code}: ${stdout}${stderr}`);
  return { ...judgement.data, code };
}

describe('accepting a run', () => {
  it('is verified while the branch is unchanged, and blocked as soon as it is moved', async () => {
    await using project = await scratch();
    expect(await verified(project)).toMatchObject({ code: 0, acceptance: 'verified', reasons: [] });
    project.git('switch', '--quiet', `mh/${project.run}`);
    writeFileSync(join(project.repo, 'src/mine.ts'), `bad\nconst token = '${SECRET}';\n`);
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=Mine');
    project.git('switch', '--quiet', 'main');
    const moved = await verified(project);
    expect([moved.code, moved.evidence.map(({ standing }) => standing)]).toEqual([4, ['stale']]);
    const rerun = await verified(project, project.run, '--rerun');
    expect([rerun.code, rerun.evidence]).toMatchObject([4, [{ standing: 'current', verdict: 'fail' }]]);
    const verdicts = new Map(rerun.criteria.map(({ criterion, verdict }) => [criterion, verdict]));
    expect([verdicts.get('branch'), verdicts.get('secrets')]).toEqual(['fail', 'fail']);
    expect(JSON.stringify(rerun)).not.toContain(SECRET);
    expect((await judged(project)).decision).toBe('block');
  });

  it('finds by running the checks again that a check no longer passes', async () => {
    await using project = await makeScratch({
      files: {
        'agent.sh': '#!/bin/sh\ncat > /dev/null\necho x > made.txt\n',
        '.manyhands/config.yaml':
          'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["test ! -e $HOME/broken"]\n',
      },
    });
    await project.mh(['job', 'add a file', '--land', 'merge']);
    expect((await verified(project)).code).toBe(0);
    writeFileSync(join(project.root, 'broken'), '');
    expect((await verified(project)).code).toBe(0);
    expect((await verified(project, '--rerun')).code).toBe(4);
    expect([(await verified(project)).code, (await judged(project)).decision]).toEqual([4, 'revise']);
    rmSync(join(project.root, 'broken'));
    expect((await verified(project, '--rerun')).code).toBe(0);
  });

  it('asks an agent, which can only make the judgement stricter', async () => {
    await using project = await scratch();
    const opinion = (text: string) => writeFileSync(join(project.root, 'opinion'), `${text}\n`);
    expect(await judged(project, project.run)).toMatchObject({
      code: 0,
      decision: 'approve',
      voices: [{ by: 'rules' }],
    });
    opinion('{"decision":"revise","reasons":["no test"],"missing":["a test"]}');
    const withheld = await judged(project, project.run, '--agent', 'hand');
    expect(withheld).toMatchObject({ code: 1, decision: 'revise', reasons: ['no test'] });
    expect(withheld.voices.map(({ by, decision }) => [by, decision])).toEqual([
      ['rules', 'approve'],
      ['hand', 'revise'],
    ]);
    expect(readFileSync(join(project.root, 'asked'), 'utf8')).toContain('## What was done');
    opinion('I approve of everything!');
    expect(await judged(project, project.run, '--agent', 'hand')).toMatchObject({ code: 4, decision: 'block' });
    project.git('branch', '--quiet', '-D', `mh/${project.run}`);
    opinion('{"decision":"approve","reasons":["all is well"]}');
    expect(await judged(project, project.run, '--agent', 'hand')).toMatchObject({ code: 4, decision: 'block' });
  });

  it.runIf(TESTS_ALL)('is part of a report, in both formats, also without the repository', async () => {
    await using project = await scratch();
    const printed = await project.mh(['report']);
    expect(printed.stdout).toMatch(/## What was requested\n\n> add a file[\s\S]*## Evidence[\s\S]*grep[\s\S]*pass/);
    const file = join(project.root, 'report.html');
    expect((await project.mh(['report', '--output', file, '--json'])).json).toMatchObject({ format: 'html', file });
    const html = readFileSync(file, 'utf8');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect([html.includes('<script'), html.includes('\u001b')]).toEqual([false, false]);
    expect((await project.mh(['report', '--output', join(project.root, 'no/such/folder.md')])).code).toBe(3);
    rmSync(join(project.repo, '.git'), { recursive: true });
    const blind = await project.mh(['report', project.run]);
    expect([blind.code, blind.stdout]).toEqual([0, expect.stringContaining('could not be read')]);
    expect(existsSync(join(project.repo, '.git'))).toBe(false);
  });

  it('summarizes a change in numbers', async () => {
    await using project = await scratch();
    expect((await project.mh(['diff', '--summary', '--json'])).json).toMatchObject({
      run: project.run,
      kinds: [{ kind: 'source', files: 1, added: 1, deleted: 0 }],
      tests: { needed: true },
    });
    expect((await project.mh(['diff', '--summary'])).stdout).toMatch(/^KIND +FILES.*\nsource +1/);
  });
});
