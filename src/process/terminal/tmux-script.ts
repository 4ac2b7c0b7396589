import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../shim.ts';
import { controlFolder, TERMINAL_FILES, type TerminalSize } from './files.ts';

export type PaneLaunch = {
  folder: string;
  /** The tmux program. */
  tmux: string;
  command: readonly string[];
  cwd: string;
  size: TerminalSize;
};

/** The variable that tells the scripts their folder; it is not passed to the program. */
export const FOLDER_VARIABLE = 'MANYHANDS_TERMINAL';

/** No settings and no shell of the user (a service has none), no status bar, no keys, no clipboard; a window has a fixed size. */
const SETTINGS = [
  'set -g default-shell /bin/sh',
  'set -g default-terminal screen-256color',
  'set -g status off',
  'set -g prefix None',
  'set -g prefix2 None',
  'unbind-key -a',
  'unbind-key -a -T root',
  'set -s set-clipboard off',
  'set -s escape-time 0',
  'set -g history-limit 2000',
  'set -g allow-rename off',
  "set -g update-environment ''",
  '',
].join('\n');

/**
 * Runs the server as its child until it ends, which it does with its only pane. A new server does nothing before a client
 * connects, so it is queried until it answers. tmux is called in the folder, because a socket's path must be short.
 */
const HOLD = [
  'cd -- "$1" || exit 126',
  'tmux=$2; columns=$3; rows=$4',
  `"$tmux" -S ${TERMINAL_FILES.socket} -f ./${TERMINAL_FILES.settings} -D </dev/null &`,
  'server=$!; tries=0',
  `until "$tmux" -N -S ${TERMINAL_FILES.socket} show-options -s exit-empty >/dev/null 2>&1; do`,
  '  tries=$((tries + 1))',
  '  if [ "$tries" -gt 500 ] || ! kill -0 "$server" 2>/dev/null; then exit 127; fi',
  '  sleep 0.02',
  'done',
  `"$tmux" -N -S ${TERMINAL_FILES.socket} new-session -d -x "$columns" -y "$rows" 'exec /bin/sh "$${FOLDER_VARIABLE}/${TERMINAL_FILES.pane}"' \\; pipe-pane -O 'exec /bin/sh "$${FOLDER_VARIABLE}/${TERMINAL_FILES.keep}"' \\; set-option -s exit-empty on || exit 127`,
  'wait "$server"; ended=$?; tries=0',
  // The last output is still being copied.
  'while [ -e keeping ] && [ "$tries" -lt 250 ]; do tries=$((tries + 1)); sleep 0.02; done',
  'exit "$ended"',
].join('\n');

/** Copies the pane's output into files that are named by their offsets; the last two are kept. */
const KEEP = [
  'umask 077; start=0; last=; before=',
  `: >"$${FOLDER_VARIABLE}/keeping"`,
  'while :; do',
  `  file="$${FOLDER_VARIABLE}/terminal-$start"`,
  '  if [ -n "$before" ]; then rm -f "$before"; fi',
  '  dd bs=2048 count=8192 of="$file" 2>/dev/null',
  '  size=$(($(wc -c <"$file")))',
  '  if [ "$size" -eq 0 ]; then break; fi',
  '  start=$((start + size)); before=$last; last=$file',
  'done',
  `rm -f "$${FOLDER_VARIABLE}/keeping"`,
  '',
].join('\n');

/** Writes the scripts into the folder and returns the command that runs them; its environment needs `FOLDER_VARIABLE`. */
export function writeTmuxFiles(launch: PaneLaunch): string[] {
  const { folder, tmux, size } = launch;
  mkdirSync(controlFolder(folder), { recursive: true, mode: 0o700 });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write(TERMINAL_FILES.settings, SETTINGS);
  write(TERMINAL_FILES.keep, KEEP);
  write(TERMINAL_FILES.pane, paneScript(launch));
  return ['/bin/sh', '-c', HOLD, 'manyhands', folder, tmux, String(size.columns), String(size.rows)];
}

/**
 * Runs the program and writes its exit code, except when the terminal itself was closed. Keyboard signals are for the
 * program.
 */
function paneScript({ folder, command, cwd }: PaneLaunch): string {
  return [
    "lost=; trap 'lost=1' HUP; trap : INT QUIT TERM",
    `cd -- ${shellWord(cwd)} || exit 126`,
    `unset TMUX TMUX_PANE TERM_PROGRAM TERM_PROGRAM_VERSION OLDPWD ${FOLDER_VARIABLE}`,
    `( COLORTERM=truecolor; export COLORTERM; exec ${command.map(shellWord).join(' ')} )`,
    'code=$?',
    `if [ -z "$lost" ]; then echo "$code" >${shellWord(join(folder, TERMINAL_FILES.programExit))}; fi`,
    '',
  ].join('\n');
}
