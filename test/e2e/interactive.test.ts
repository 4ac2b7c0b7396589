import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { atTerminal } from '../support/attached.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';

const CTRL_RIGHT_BRACKET = '\x1d';

/** A small interactive program: a line, an answer. */
const AGENT = `#!/bin/sh
: >"$HOME/started"
printf 'ready> '
while read -r line; do
  case "$line" in
    write*) echo "$line" >>said.txt; echo "wrote $line" ;;
    daemon) (trap '' HUP; exec setsid sleep 600) >/dev/null 2>&1 & echo "left a daemon" ;;
    flood) yes "$(printf 'flood%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)" | head -c 3000000; echo; echo "flooded" ;;
    evil) printf '\\033]0;my title\\007\\033]52;c;ZXZpbA==\\007\\033[6n\\033[31mred\\033[0m \\302\\235x\\n' ;;
    size) stty size ;;
    fail) exit 3 ;;
    quit) exit 0 ;;
  esac
  printf 'ready> '
done
`;
/** A program of that name that does not work hides the real one: it is as if there were none. */
const NO_TMUX = '#!/bin/sh\nexit 127\n';

async function scratch(config = ''): Promise<Scratch> {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["test -e agent.sh"]\nlimits: { attempts: 1, retryDelaySeconds: 0 }\n${config}`;
  const project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
  writeFileSync(join(project.root, 'tmux'), NO_TMUX, { mode: 0o755 });
  return project;
}

/** The environment in which terminals are held in one way or the other. */
function environment(project: Scratch, kind: string): Record<string, string> {
  return kind === 'tmux' ? {} : { PATH: `${project.root}:${process.env.PATH ?? ''}` };
}

async function shown(project: Scratch): Promise<RunDocument> {
  return RunDocument.parse((await project.mh(['show', '--json'])).json);
}

describe('an interactive agent', () => {
  it('is attached to, detached from, shown to two users, and lands its work', async () => {
    await using project = await scratch();
    const job = atTerminal(project, ['job', '--interactive', 'Work with me']);
    await job.until(/Attached to job\/1 of run \w+\. Ctrl-\] or Ctrl-\\ detaches/);
    await job.until(/ready>/);
    job.type('write one\r');
    await job.until(/wrote write one/);
    const second = atTerminal(project, ['attach']);
    await second.until(/wrote write one[\s\S]*ready>/);
    second.type('size\r');
    await second.until(/30 100/);
    await job.until(/30 100/);
    second.resize(77, 22);
    // The resize reaches the program with a delay: it is queried until it reports the new size.
    const asking = setInterval(() => second.type('size\r'), 500);
    await second.until(/22 77/);
    clearInterval(asking);
    second.type(CTRL_RIGHT_BRACKET);
    await second.until(/Detached; the agent continues/);
    expect(await second.ended).toBe(0);
    expect((await shown(project)).tasks).toMatchObject([{ key: 'job/1', status: 'running', terminal: true }]);
    job.type('quit\r');
    await job.until(/The program in the terminal has ended/);
    expect(await job.ended).toBe(0);
    const document = await shown(project);
    expect(document.status).toBe('done');
    expect(project.git('show', `mh/${document.run}:said.txt`)).toBe('write one');
    const late = atTerminal(project, ['attach']);
    await late.until(/wrote write one[\s\S]*The program in the terminal has ended/);
    expect(await late.ended).toBe(0);
    expect(await project.leftovers()).toEqual([]);
  });

  it.each(variants(['pty'], ['tmux']))(
    'continues in its terminal (%s) when the engine is killed, and is adopted',
    async (kind) => {
      await using project = await scratch();
      const env = environment(project, kind);
      const engine = project.start(['job', '--interactive', 'Outlive it', '--json'], { env });
      const first = await attached(project, env);
      first.type('write before\r');
      await first.until(/wrote write before/);
      engine.kill('SIGKILL');
      await engine.done;
      await first.ended;
      const again = await attached(project, env);
      expect(again.shown()).toContain('wrote write before');
      again.type('write after\r');
      await again.until(/wrote write after/);
      again.type('quit\r');
      expect(await again.ended).toBe(0);
      await project.mh(['wait'], { env });
      const document = await shown(project);
      expect(document.status).toBe('done');
      expect(project.git('show', `mh/${document.run}:said.txt`)).toBe('write before\nwrite after');
      const logs = (await project.mh(['logs', '--json'])).stdout;
      expect(logs.match(/wrote write before/g)).toHaveLength(1);
      expect(logs.match(/wrote write after/g)).toHaveLength(1);
      expect(await project.leftovers()).toEqual([]);
    },
  );

  it.each(variants(['pty'], ['tmux']))(
    'is ended by cancel with all its processes (%s), and its work is saved',
    async (kind) => {
      await using project = await scratch();
      const env = environment(project, kind);
      const working = project.start(['job', '--interactive', 'Leave a daemon', '--json'], { env });
      const person = await attached(project, env);
      person.type('write saved\rdaemon\r');
      await person.until(/left a daemon/);
      await project.mh(['cancel']);
      await person.until(/The program in the terminal has ended/);
      const ended = RunDocument.parse((await working.done).json);
      expect(ended.status).toBe('cancelled');
      expect(await project.leftovers()).toEqual([]);
      expect((await project.mh(['salvage', '--json'])).stdout).toContain('job/1');
    },
  );

  it('cannot reach the clipboard, the title or the keyboard of the user, and leaves plain text in the transcript', async () => {
    await using project = await scratch();
    const working = project.start(['job', '--interactive', 'Be evil', '--json']);
    const person = await attached(project);
    person.type('evil\r');
    await person.until(/red/);
    // A terminal answers that question, and the program takes the answer for typed.
    person.type('\rwrite it\rflood\r');
    await person.until(/flooded/);
    for (const unsafe of ['\x1b]', 'my title', '\x1b[6n', '\u009d']) expect(person.shown()).not.toContain(unsafe);
    person.type('quit\r');
    await person.ended;
    expect(RunDocument.parse((await working.done).json).tasks[0]?.status).toBe('done');
    const { stdout } = await project.mh(['logs', '--json']);
    const texts: string[] = JSON.parse(stdout).map(({ text }: { text: string }) => text);
    expect(texts).toContain('red x');
    expect(texts.join('')).not.toMatch(/\p{Cc}/u);
  });

  it('is stopped at its time limit, and fails by its exit code like any other agent', async () => {
    await using project = await scratch();
    const late = await project.mh(['job', '--interactive', 'Wait for ever', '--stop', 'time=2s', '--json']);
    expect(RunDocument.parse(late.json).tasks[0]).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/longer than 2 s/),
    });
    rmSync(join(project.root, 'started'));
    const working = project.start(['job', '--interactive', 'Fail', '--json']);
    const person = await attached(project);
    person.type('fail\r');
    await person.ended;
    const failed = RunDocument.parse((await working.done).json);
    expect(failed.tasks[0]).toMatchObject({ status: 'failed', reason: expect.stringMatching(/exit code 3/) });
  });

  it('accepts input from the user only, and only if it has a terminal', async () => {
    await using project = await scratch();
    const working = project.start(['job', '--interactive', 'Nobody but me', '--json']);
    const person = await attached(project);
    const agent = atTerminal(project, ['attach'], { MANYHANDS_TOKEN: 'an-agent' });
    await agent.until(/agents control no run/);
    expect(await agent.ended).not.toBe(0);
    person.type('quit\r');
    await person.ended;
    await working.done;
    const plain = project.start(['job', 'No terminal here', '--json']);
    await plain.done;
    const refused = atTerminal(project, ['attach']);
    await refused.until(/has no terminal[\s\S]*manyhands logs[\s\S]*manyhands send/);
    expect(await refused.ended).toBe(3);
  });
});

/** Attached, once the program in the terminal has started. */
async function attached(project: Scratch, env: Record<string, string> = {}): Promise<ReturnType<typeof atTerminal>> {
  await appears(join(project.root, 'started'));
  const person = atTerminal(project, ['attach'], env);
  await person.until(/ready>/);
  return person;
}
