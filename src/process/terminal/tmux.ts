import { AppError } from '../../errors.ts';
import { run } from '../run.ts';
import { TERMINAL_FILES, type TerminalSize } from './files.ts';

/** A terminal's screen: the sequence that draws it on an empty terminal, and its size. */
export type Screen = { size: TerminalSize; draw: string };

const CALL_MS = 10_000;
/** A message to tmux holds 16 KiB; each typed byte takes three bytes of it. */
const TYPED_AT_ONCE = 4_000;
const FIELDS = [
  'pane_width',
  'pane_height',
  'cursor_x',
  'cursor_y',
  'cursor_flag',
  'alternate_on',
  'keypad_cursor_flag',
  'keypad_flag',
  'mouse_standard_flag',
  'mouse_button_flag',
  'mouse_all_flag',
  'mouse_sgr_flag',
  'bracket_paste_flag',
] as const;
type Facts = Record<(typeof FIELDS)[number], string>;

/** Types bytes literally into the pane: no byte can become a command or the name of a key. */
export async function typeIntoTmux(folder: string, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += TYPED_AT_ONCE) {
    const hex = [...bytes.subarray(at, at + TYPED_AT_ONCE)].map((byte) => byte.toString(16).padStart(2, '0'));
    await tmux(folder, ['send-keys', '-H', ...hex]);
  }
}

export async function resizeTmux(folder: string, { columns, rows }: TerminalSize): Promise<void> {
  await tmux(folder, ['resize-window', '-x', String(columns), '-y', String(rows)]);
}

/** The current content of the pane, with its colours, its cursor and the modes that the program has set. */
export async function captureTmux(folder: string): Promise<Screen> {
  const format = FIELDS.map((name) => `#{${name}}`).join('\t');
  const output = await tmux(folder, ['display-message', '-p', format, ';', 'capture-pane', '-p', '-e', '-N']);
  const [first = '', ...lines] = output.split('\n');
  const values = first.split('\t');
  const facts = factsOf(values);
  const size = { columns: Number(facts.pane_width), rows: Number(facts.pane_height) };
  return { size, draw: drawing(facts, lines.slice(0, size.rows)) };
}

/** The version of tmux; one before 3.2 cannot run a server as a child. */
export async function findTmux(env: NodeJS.ProcessEnv): Promise<{ version: string; isUsable: boolean } | undefined> {
  const path = env.PATH ?? '';
  try {
    const { code, stdout } = await run(['tmux', '-V'], { env: { PATH: path }, timeoutMs: CALL_MS });
    if (code !== 0) return undefined;
    const version = stdout.toString('utf8').trim();
    const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
    const isUsable = Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 2);
    return { version, isUsable };
  } catch {
    // There is no such program.
    return undefined;
  }
}

function factsOf(values: readonly string[]): Facts {
  const value = (index: number) => values[index] ?? '';
  return {
    pane_width: value(0),
    pane_height: value(1),
    cursor_x: value(2),
    cursor_y: value(3),
    cursor_flag: value(4),
    alternate_on: value(5),
    keypad_cursor_flag: value(6),
    keypad_flag: value(7),
    mouse_standard_flag: value(8),
    mouse_button_flag: value(9),
    mouse_all_flag: value(10),
    mouse_sgr_flag: value(11),
    bracket_paste_flag: value(12),
  };
}

function drawing(facts: Facts, lines: readonly string[]): string {
  const mode = (flag: string, on: string) => (flag === '1' ? on : '');
  return [
    facts.alternate_on === '1' ? '\x1b[?1049h' : '\x1b[?1049l',
    '\x1b[0m\x1b[H\x1b[2J',
    ...lines.map(positionedLine),
    '\x1b[0m',
    `\x1b[${Number(facts.cursor_y) + 1};${Number(facts.cursor_x) + 1}H`,
    facts.cursor_flag === '0' ? '\x1b[?25l' : '\x1b[?25h',
    mode(facts.keypad_cursor_flag, '\x1b[?1h'),
    mode(facts.keypad_flag, '\x1b='),
    mode(facts.mouse_standard_flag, '\x1b[?1000h'),
    mode(facts.mouse_button_flag, '\x1b[?1002h'),
    mode(facts.mouse_all_flag, '\x1b[?1003h'),
    mode(facts.mouse_sgr_flag, '\x1b[?1006h'),
    mode(facts.bracket_paste_flag, '\x1b[?2004h'),
  ].join('');
}

/** Each line is positioned absolutely, so that nothing scrolls on a smaller terminal. */
function positionedLine(line: string, index: number): string {
  const text = line.replace(/ +$/, '');
  return text === '' ? '' : `\x1b[${index + 1};1H\x1b[0m${text}`;
}

async function tmux(folder: string, args: readonly string[]): Promise<string> {
  const command = ['tmux', '-N', '-S', TERMINAL_FILES.socket, ...args];
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' };
  const { code, stdout, stderr } = await run(command, { cwd: folder, env, timeoutMs: CALL_MS });
  if (code === 0) return stdout.toString('utf8');
  throw new AppError('TERMINAL_ENDED', `The terminal cannot be reached: ${stderr.trim() || `tmux ended with ${code}`}`);
}
