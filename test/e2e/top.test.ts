import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { type AtTerminal, atShell } from '../support/attached.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const ESC = '\x1b';
const CTRL_Z = '\x1a';

/** Plans two tasks; the first prints output with hostile sequences, and continues when a file appears. */
const AGENT = `#!/bin/sh
prompt=$(cat)
case "$MANYHANDS_ROLE" in
  plan) echo '{"tasks":[{"id":"a","title":"Do A","description":"a","needs":[]},{"id":"b","title":"Do B","description":"b","needs":["a"]}]}'; exit 0 ;;
  review) echo '{"findings":[],"summary":"fine"}'; exit 0 ;;
esac
printf 'at work \\033]0;my title\\007\\033]52;c;ZXZpbA==\\007\\033[6n on %s\\n' "$MANYHANDS_TASK"
while [ ! -e "$HOME/go" ]; do sleep 0.05; done
echo "$MANYHANDS_TASK" > "$(echo "$MANYHANDS_TASK" | tr / -).txt"
echo "did $MANYHANDS_TASK"
`;

function scratch(): Promise<Scratch> {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\nlimits: { attempts: 1, retryDelaySeconds: 0 }\nchecks: ["test -e base.txt"]\n`;
  return makeScratch({ files: { 'base.txt': 'base\n', 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
}

/** The shell has its terminal back: its own screen, its cursor, and input by lines. */
async function expectRestored(shell: AtTerminal): Promise<void> {
  await shell.until(/shell> $/);
  const shown = shell.shown();
  const isLast = (on: string, off: string) => shown.lastIndexOf(off) > shown.lastIndexOf(on);
  expect(isLast(`${ESC}[?1049h`, `${ESC}[?1049l`)).toBe(true);
  expect(isLast(`${ESC}[?25l`, `${ESC}[?25h`)).toBe(true);
  expect(isLast(`${ESC}[?7l`, `${ESC}[?7h`)).toBe(true);
  expect(isLast(`${ESC}[?2004h`, `${ESC}[?2004l`)).toBe(true);
  shell.type('stty -a | tr " ;" "\\n\\n" | grep -c "^icanon$\\|^echo$\\|^isig$"; echo mo"des"\r');
  await shell.until(/\n3\s+modes/);
  await shell.until(/shell> /);
}

describe.concurrent('the full-screen view', () => {
  it('approves a plan, shows the output of a task live, and restores the terminal', async () => {
    await using project = await scratch();
    await project.mh(['serve', '--detach']);
    const held = await project.mh(['do', 'Do A, then B', '--plan-only', '--json']);
    const { run } = RunDocument.parse(held.json);
    const shell = await atShell(project);
    shell.type('mh top\r');
    await shell.until(/needs you[\s\S]*a to approve/);
    shell.type('a');
    await shell.until(/Approve the plan of .Do A, then B.*\(y\/n\)/);
    shell.type('y');
    await shell.until(/Approved\./);
    shell.type('\r');
    await shell.until(/implement\/1\.1/);
    shell.type('/implement/1.1\r\r');
    await shell.until(/at work +on implement\/1\.1/);
    shell.type(CTRL_Z);
    await shell.until(/Stopped/);
    await expectRestored(shell);
    shell.type('fg\r');
    await shell.until(/at work +on implement\/1\.1/);
    writeFileSync(join(project.root, 'go'), '');
    await shell.until(/did implement\/1\.1/);
    shell.type(ESC);
    await shell.until(/Enter output/);
    shell.type(`${ESC}[D${ESC}[D`);
    await shell.until(/✓ done/);
    shell.type('q');
    await expectRestored(shell);
    for (const unsafe of ['my title', '\x1b]52', '\x1b[6n']) expect(shell.shown()).not.toContain(unsafe);
    expect(RunDocument.parse((await project.mh(['show', run, '--json'])).json).status).toBe('done');
    shell.kill();
    await project.mh(['stop']);
    expect(await project.leftovers()).toEqual([]);
  });

  it('shows the recorded state without an engine, follows one that starts and ends, and exits on a signal', async () => {
    await using project = await scratch();
    const shell = await atShell(project);
    shell.type('mh top\r');
    await shell.until(/No engine is running[\s\S]*There are no runs in this project yet/);
    const job = project.start(['job', 'Do it', '--json']);
    await shell.until(/● running[\s\S]*at work/);
    writeFileSync(join(project.root, 'go'), '');
    await job.done;
    await shell.until(/No engine is running/);
    const top = project.alive().find(({ command }) => /\btop$/.test(command));
    process.kill(top?.pid ?? 0, 'SIGTERM');
    await expectRestored(shell);
  });

  it('fails without a terminal, and names the commands to use instead', async () => {
    await using project = await scratch();
    const { code, stderr } = await project.mh(['top']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/manyhands ls.*manyhands show --json/)]);
  });
});
