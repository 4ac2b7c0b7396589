import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument } from '../../src/schema/document.ts';
import { ShownEvent } from '../../src/schema/event.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';

/** Plans two files; implements its task by writing the file that the prompt names; the guarded one also changes what the check runs. */
const AGENT = `#!/bin/sh
prompt=$(cat)
n=$(ls "$HOME" | grep -c "^prompt-$MANYHANDS_ROLE-")
printf '%s\\n' "$prompt" >"$HOME/prompt-$MANYHANDS_ROLE-$((n + 1))"
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"one","title":"Write one","description":"Write one.txt"},{"id":"two","title":"Write two","description":"Write two.txt","needs":["one"]}],"summary":"Two files."}' ;;
  review) echo '{"findings":[],"summary":"fine"}' ;;
  *)
    case "$prompt" in
      *"leave the check alone"*) echo good >work.txt; git checkout -q HEAD -- check.sh 2>/dev/null; printf '#!/bin/sh\\ntrue\\n' >check.sh ;;
      *"bend the check"*) echo bad >work.txt; printf '#!/bin/sh\\nexit 0\\n' >check.sh ;;
      *) for name in one two three; do case "$prompt" in *"$name.txt"*) echo "$name" >"$name.txt" ;; esac; done ;;
    esac ;;
esac
`;
const PLAN = z.object({ run: z.string(), tasks: z.array(z.object({ task: z.string(), title: z.string() })) });

async function scratch(): Promise<Scratch> {
  const settings =
    'agents: { hand: { kind: command, command: ../agent.sh } }\nlimits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }\nreview: { rounds: 0 }\nchecks: ["sh check.sh"]\n';
  const files = { 'base.txt': 'base\n', '.manyhands/config.yaml': settings, 'check.sh': '#!/bin/sh\ntrue\n' };
  const place = await makeScratch({ files });
  writeFiles(place.root, { 'agent.sh': AGENT });
  return place;
}

async function planned(place: Scratch): Promise<RunDocument> {
  const held = await place.mh(['do', 'Write files', '--plan-only', '--json']);
  expect(held.code, held.stderr).toBe(4);
  return RunDocument.parse(held.json);
}

/** Plans one file; each review finds one serious defect more than the one before; a fix writes a file. */
const DETERIORATING = `#!/bin/sh
cat >/dev/null
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"one","title":"Write one","description":"Write one.txt"}],"summary":"One file."}' ;;
  review)
    echo x >>"$HOME/reviews"
    found='{"severity":"high","title":"Wrong","description":"It is wrong"}'
    test "$(wc -l <"$HOME/reviews")" -eq 1 || found="$found,$found"
    echo '{"findings":['"$found"'],"summary":"bad"}' ;;
  fix) echo fixed >fix.txt ;;
  *) echo one >one.txt ;;
esac
`;

describe.concurrent('a hold', { timeout: 120_000 }, () => {
  it('of a plan is rejected with a reason, and the planner makes another plan with it', async () => {
    await using place = await scratch();
    const { run } = await planned(place);
    const shown = await place.mh(['show', run]);
    expect(shown.stdout).toMatch(/\(hold h\d+\)/);
    expect(shown.stdout).toContain(`or change the plan: manyhands plan edit ${run}`);
    expect(shown.stdout).toMatch(/or plan again: manyhands reject \w+ --hold h\d+ --reason '/);
    const again = await place.mh(['reject', run, '--reason', 'one file is enough', '--json']);
    const document = RunDocument.parse(again.json);
    expect([again.code, document.status], again.stderr).toEqual([4, 'held']);
    expect(readFileSync(join(place.root, 'prompt-plan-2'), 'utf8')).toContain('one file is enough');
    expect(document.tasks.filter(({ status }) => status === 'cancelled').map(({ key }) => key)).toEqual([
      'implement/1.1',
      'implement/1.2',
    ]);
    const done = await place.mh(['approve', run, '--json']);
    expect([done.code, RunDocument.parse(done.json).status], done.stderr).toEqual([0, 'done']);
    expect(place.git('show', `mh/${run}:two.txt`)).toBe('two');
    expect((await place.mh(['report', run])).stdout).toMatch(/\(cli\) \| run \| rejected \| one file is enough/);
  });

  it('of a review that deteriorated shows, names and lands the best commit, before and after approval', async () => {
    await using place = await scratch();
    writeFiles(place.root, { 'agent.sh': DETERIORATING });
    const settings = join(place.repo, '.manyhands/config.yaml');
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('rounds: 0', 'rounds: 3'));
    place.git('commit', '--quiet', '--all', '--message=Review');
    const held = RunDocument.parse((await place.mh(['do', 'Write a file', '--json'])).json);
    expect(held.status).toBe('held');
    const best = place.git('rev-parse', `mh/${held.run}`);
    expect(place.git('ls-tree', '--name-only', best).split('\n')).toContain('one.txt');
    expect(place.git('ls-tree', '--name-only', best).split('\n')).not.toContain('fix.txt');
    const approved = await place.mh(['approve', held.run, '--json']);
    const document = RunDocument.parse(approved.json);
    expect([document.status, document.commit, place.git('rev-parse', `mh/${held.run}`)], approved.stderr).toEqual([
      'done',
      best,
      best,
    ]);
    const landed = await place.mh(['land', held.run, '--json']);
    expect(landed.code, landed.stderr).toBe(0);
    expect(place.git('ls-tree', '--name-only', 'main').split('\n')).not.toContain('fix.txt');
    expect(place.git('merge-base', 'main', best)).toBe(best);
  });

  it('of a plan can be changed before it is approved', async () => {
    await using place = await scratch();
    const { run } = await planned(place);
    const printed = await place.mh(['plan', 'edit', run, '--print']);
    expect(printed.stdout).toContain('task: implement/1.1');
    writeFileSync(
      join(place.repo, 'plan.yaml'),
      [
        'tasks:',
        '  - { id: new, title: Write three, description: Write three.txt }',
        '  - { task: implement/1.1, title: Write the first, needs: [new] }',
      ].join('\n'),
    );
    const absent = await place.mh(['plan', 'edit', run, '--file', 'absent.yaml']);
    expect([absent.code, absent.stderr]).toEqual([3, expect.stringContaining('does not exist')]);
    writeFileSync(join(place.repo, 'wrong.yaml'), 'tasks: [{ task: implement/1.1, titel: x }]\n');
    const wrong = await place.mh(['plan', 'edit', run, '--file', 'wrong.yaml']);
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('titel')]);
    const edited = await place.mh(['plan', 'edit', run, '--file', 'plan.yaml', '--json']);
    expect(edited.code, edited.stderr).toBe(0);
    const shown = PLAN.parse(JSON.parse(JSON.stringify(await planOf(place, run))));
    expect(shown.tasks.map(({ task, title }) => `${task} ${title}`)).toEqual([
      'implement/1.3 Write three',
      'implement/1.1 Write the first',
    ]);
    const done = await place.mh(['approve', run, '--json']);
    expect([done.code, RunDocument.parse(done.json).status], done.stderr).toEqual([0, 'done']);
    expect(place.git('show', `mh/${run}:three.txt`)).toBe('three');
    expect(() => place.git('show', `mh/${run}:two.txt`)).toThrow();
    const late = await place.mh(['plan', 'edit', run, '--file', 'plan.yaml']);
    expect([late.code, late.stderr]).toEqual([3, expect.stringContaining('no plan that waits for approval')]);
  });

  it('of guarded work is rejected, and the agent continues its work with the reason', async () => {
    await using place = await scratch();
    const held = await place.mh(['job', 'Please bend the check', '--json']);
    const { run, attention } = RunDocument.parse(held.json);
    expect([held.code, attention[0]?.what], held.stderr).toEqual([4, 'held']);
    const hold = attention[0]?.hold ?? '';
    const done = await place.mh(['reject', run, '--hold', hold, '--reason', 'leave the check alone', '--json']);
    expect([done.code, RunDocument.parse(done.json).status], done.stderr).toEqual([0, 'done']);
    expect(place.git('show', `mh/${run}:work.txt`)).toBe('good');
    const answered = await place.mh(['approve', run, '--hold', hold]);
    expect(answered.code).toBe(3);
  });

  it('records who answered it, and through which entry point', async () => {
    await using place = await scratch();
    const { run } = await planned(place);
    expect((await place.mh(['approve', run, '--json'])).code).toBe(0);
    const events = await eventsOf(place, run);
    const approved = events.find(({ type }) => type === 'run.approved');
    expect(approved?.origin).toMatchObject({ actor: { kind: 'person' }, via: 'cli' });
    expect(events.find(({ type }) => type === 'attempt.started')?.origin).toBeUndefined();
    expect((await place.mh(['verify', run, '--rerun'])).stderr).toBe('');
    expect((await place.mh(['land', run, '--json'])).code).toBe(0);
    const later = (await eventsOf(place, run)).slice(events.length);
    for (const recorded of ['gate.ended', 'run.landed'])
      expect(later.find(({ type }) => type === recorded)?.origin, recorded).toMatchObject({ via: 'cli' });
  });
});

async function planOf(place: Scratch, run: string): Promise<unknown> {
  const printed = await place.mh(['plan', 'edit', run, '--print']);
  const { parse } = await import('yaml');
  return { run, ...parse(printed.stdout) };
}

/** The stored events of a run, as an export would show them. */
async function eventsOf(place: Scratch, run: string): Promise<ShownEvent[]> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(place.home, 'manyhands.db'), { readOnly: true });
  const rows = database
    .prepare('SELECT version, at, type, data, origin FROM events WHERE stream = ?')
    .all(`run/${run}`);
  database.close();
  return rows.map((row) =>
    ShownEvent.parse({
      ...row,
      data: JSON.parse(String(row.data)),
      origin: row.origin === null ? undefined : JSON.parse(String(row.origin)),
    }),
  );
}
