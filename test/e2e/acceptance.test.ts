import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Acceptance, Judgement } from '../../src/schema/acceptance.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

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
  const place = await makeScratch({ files });
  const { run } = RunDocument.parse((await place.mh(['job', 'add a file', '--json'])).json);
  return Object.assign(place, { run });
}

async function verified(place: Scratch, ...args: string[]): Promise<Acceptance & { code: number | null }> {
  const { json, code, stderr } = await place.mh(['verify', ...args, '--json']);
  const acceptance = Acceptance.safeParse(json);
  if (!acceptance.success) throw new Error(`verify ended with ${code}: ${stderr}`);
  return { ...acceptance.data, code };
}

async function judged(place: Scratch, ...args: string[]): Promise<Judgement & { code: number | null }> {
  const { json, code, stdout, stderr } = await place.mh(['judge', ...args, '--json']);
  const judgement = Judgement.safeParse(json);
  if (!judgement.success) throw new Error(`judge ended with ${code}: ${stdout}${stderr}`);
  return { ...judgement.data, code };
}

describe('accepting a run', () => {
  it('is verified as the run left it, and blocked as soon as somebody moves the branch', async () => {
    await using place = await scratch();
    expect(await verified(place)).toMatchObject({ code: 0, acceptance: 'verified', reasons: [] });
    place.git('switch', '--quiet', `mh/${place.run}`);
    writeFileSync(join(place.repo, 'src/mine.ts'), `bad\nconst token = '${SECRET}';\n`);
    place.git('add', '--all');
    place.git('commit', '--quiet', '--message=Mine');
    place.git('switch', '--quiet', 'main');
    const moved = await verified(place);
    expect([moved.code, moved.evidence.map(({ standing }) => standing)]).toEqual([4, ['stale']]);
    const rerun = await verified(place, place.run, '--rerun');
    expect([rerun.code, rerun.evidence]).toMatchObject([4, [{ standing: 'current', verdict: 'fail' }]]);
    const verdicts = new Map(rerun.criteria.map(({ criterion, verdict }) => [criterion, verdict]));
    expect([verdicts.get('branch'), verdicts.get('secrets')]).toEqual(['fail', 'fail']);
    expect(JSON.stringify(rerun)).not.toContain(SECRET);
    expect((await judged(place)).decision).toBe('block');
  });

  it('finds out by running the checks again that what passed then does not pass now', async () => {
    await using place = await makeScratch({
      files: {
        'agent.sh': '#!/bin/sh\ncat > /dev/null\necho x > made.txt\n',
        '.manyhands/config.yaml':
          'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["test ! -e $HOME/broken"]\n',
      },
    });
    await place.mh(['job', 'add a file', '--land', 'merge']);
    expect((await verified(place)).code).toBe(0);
    writeFileSync(join(place.root, 'broken'), '');
    expect((await verified(place)).code).toBe(0);
    expect((await verified(place, '--rerun')).code).toBe(4);
    expect([(await verified(place)).code, (await judged(place)).decision]).toEqual([4, 'revise']);
    rmSync(join(place.root, 'broken'));
    expect((await verified(place, '--rerun')).code).toBe(0);
  });

  it('asks an agent who may withhold and never grant', async () => {
    await using place = await scratch();
    const opinion = (text: string) => writeFileSync(join(place.root, 'opinion'), `${text}\n`);
    expect(await judged(place, place.run)).toMatchObject({ code: 0, decision: 'approve', voices: [{ by: 'rules' }] });
    opinion('{"decision":"revise","reasons":["no test"],"missing":["a test"]}');
    const withheld = await judged(place, place.run, '--agent', 'hand');
    expect(withheld).toMatchObject({ code: 1, decision: 'revise', reasons: ['no test'] });
    expect(withheld.voices.map(({ by, decision }) => [by, decision])).toEqual([
      ['rules', 'approve'],
      ['hand', 'revise'],
    ]);
    expect(readFileSync(join(place.root, 'asked'), 'utf8')).toContain('## What was done');
    opinion('I approve of everything!');
    expect(await judged(place, place.run, '--agent', 'hand')).toMatchObject({ code: 4, decision: 'block' });
    place.git('branch', '--quiet', '-D', `mh/${place.run}`);
    opinion('{"decision":"approve","reasons":["all is well"]}');
    expect(await judged(place, place.run, '--agent', 'hand')).toMatchObject({ code: 4, decision: 'block' });
  });

  it('is told in a report, in both formats, also where the repository is gone', async () => {
    await using place = await scratch();
    const printed = await place.mh(['report']);
    expect(printed.stdout).toMatch(/## What was requested\n\n> add a file[\s\S]*## Evidence[\s\S]*grep[\s\S]*pass/);
    const file = join(place.root, 'report.html');
    expect((await place.mh(['report', '--output', file, '--json'])).json).toMatchObject({ format: 'html', file });
    const html = readFileSync(file, 'utf8');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect([html.includes('<script'), html.includes('\u001b')]).toEqual([false, false]);
    expect((await place.mh(['report', '--output', join(place.root, 'no/such/folder.md')])).code).toBe(3);
    rmSync(join(place.repo, '.git'), { recursive: true });
    const blind = await place.mh(['report', place.run]);
    expect([blind.code, blind.stdout]).toEqual([0, expect.stringContaining('could not be read')]);
    expect(existsSync(join(place.repo, '.git'))).toBe(false);
  });

  it('tells a change in figures', async () => {
    await using place = await scratch();
    expect((await place.mh(['diff', '--summary', '--json'])).json).toMatchObject({
      run: place.run,
      kinds: [{ kind: 'source', files: 1, added: 1, deleted: 0 }],
      tests: { needed: true },
    });
    expect((await place.mh(['diff', '--summary'])).stdout).toMatch(/^KIND +FILES.*\nsource +1/);
  });
});
