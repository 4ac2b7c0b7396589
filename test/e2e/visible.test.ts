import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { makeScratch, writeFiles } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat > /dev/null\necho "I did it" | tee made.txt\n';
const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';
/** A terminal of a desktop: shows the program that it is given by writing to a file. */
const TERMINAL =
  '#!/bin/sh\nshift\n"$@" < /dev/null > "$HOME/window.part" 2>&1\nmv "$HOME/window.part" "$HOME/window.txt"\n';
const hasTmux = spawnSync('tmux', ['-V']).status === 0;

it('shows a run in a window of the desktop, in a pane of tmux, or prints how to watch it', async () => {
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
  const none = await project.mh(['job', 'first', '--visible']);
  expect(none.stderr).toMatch(/no desktop and no tmux .*: manyhands logs [0-9a-z]{8} --follow/);

  writeFiles(project.root, { terminal: TERMINAL });
  chmodSync(join(project.root, 'terminal'), 0o755);
  const env = { DISPLAY: ':1', TERMINAL: join(project.root, 'terminal') };
  const shown = await project.mh(['job', 'second', '--visible'], { env });
  expect([shown.code, shown.stderr]).toEqual([0, expect.not.stringContaining('no desktop')]);
  await appears(join(project.root, 'window.txt'));
  expect(readFileSync(join(project.root, 'window.txt'), 'utf8')).toMatch(
    /I did it[\s\S]*Press Enter to close this window/,
  );

  if (!hasTmux) return;
  const socket = join(project.root, 'tmux.sock');
  const tmux = (...args: string[]) => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '200', '-y', '50', 'sleep 600');
  // The user may have any shell, also one that is no POSIX shell.
  tmux('set-option', '-g', 'default-shell', '/bin/false');
  try {
    const pid = tmux('display-message', '-p', '#{pid}').trim();
    const started = await project.mh(['job', 'third', '--visible', '--detach'], {
      env: { TMUX: `${socket},${pid},0` },
    });
    const run = started.stdout.trim();
    await project.mh(['wait', run]);
    expect(tmux('list-panes', '-a', '-F', '#{pane_start_command}')).toContain(`logs ${run} --follow`);
  } finally {
    tmux('kill-server');
  }
});
