import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ending } from '../../../src/process/launch.ts';
import { DEFAULT_SIZE, programEnding, type TerminalKind } from '../../../src/process/terminal/files.ts';
import { readRing, ringRange, SEGMENT_BYTES } from '../../../src/process/terminal/ring.ts';
import { inTerminal, type Terminal, terminalIn } from '../../../src/process/terminal/terminal.ts';
import { type ShownPiece, watchTerminal } from '../../../src/process/terminal/watch.ts';
import { sweep, type Target } from '../../../src/process/terminate.ts';
import { until } from '../../support/until.ts';
import { launchIn, PATH, temporaryFolder } from '../launching.ts';

const GREETING = `
printf 'name? '
read name
printf 'hello %s\\n' "$name"
stty size
exit 7
`;

type Started = { target: Target; folder: string; terminal: Terminal; kind: TerminalKind; text(): string };

async function startIn(kind: TerminalKind, script: string, own: Record<string, string> = {}): Promise<Started> {
  const folder = temporaryFolder();
  const work = temporaryFolder();
  writeFileSync(join(work, 'script.sh'), script);
  const held = inTerminal(kind, { folder, command: ['/bin/sh', 'script.sh'], cwd: work, size: DEFAULT_SIZE });
  const { go, target } = await launchIn(held.command, {
    folder,
    cwd: work,
    env: { ...held.env, PATH: `${PATH}:/usr/bin`, ...own },
  });
  go();
  return { target, folder, terminal: terminalIn(folder, kind), kind, text: () => readAll(folder) };
}

function readAll(folder: string): string {
  let text = '';
  for (let at = ringRange(folder)?.start ?? 0; ; ) {
    const { chunk, offset } = readRing(folder, at);
    if (chunk.length === 0) return text;
    text += chunk.toString('utf8');
    at = offset + chunk.length;
  }
}

/** Watches until what was shown matches, and gives all the pieces. */
async function watchUntil(
  { folder, kind }: Started,
  after: number | undefined,
  isEnough: (text: string) => boolean,
): Promise<{ pieces: ShownPiece[]; text: string }> {
  const pieces: ShownPiece[] = [];
  const stop = new AbortController();
  let text = '';
  for await (const piece of watchTerminal({
    folder,
    kind,
    after,
    isLive: () => true,
    onChange: () => () => {},
    signal: stop.signal,
  })) {
    pieces.push(piece);
    text += piece.data.toString('utf8');
    if (isEnough(text)) break;
  }
  return { pieces, text };
}

describe.each(['tmux', 'pty'] as const)('a program in a terminal held by %s', (kind) => {
  it('needs no shell of the user, as a service has none', async () => {
    const started = await startIn(kind, GREETING, { SHELL: '/bin/false' });
    await until(() => started.text().includes('name?'), 'it asks');
    await started.terminal.type(Buffer.from('Ann\r'));
    const end = await ending(started.folder, started.target.identity);
    expect([programEnding(started.folder, end).kind, started.text()]).toEqual([
      'exited',
      expect.stringContaining('hello Ann'),
    ]);
  });

  it('accepts input, is resized, and has its own exit code', async () => {
    const started = await startIn(kind, GREETING);
    await until(() => started.text().includes('name?'), 'it asks');
    await started.terminal.resize({ columns: 91, rows: 33 });
    await started.terminal.type(Buffer.from('Zoë; kill-server\r'));
    const end = await ending(started.folder, started.target.identity);
    expect(started.text()).toContain('hello Zoë; kill-server');
    expect(started.text()).toContain('33 91');
    expect(programEnding(started.folder, end)).toEqual({ kind: 'exited', code: 7 });
    expect(await sweep(started.target)).toBe(0);
  });

  it('passes every byte unchanged, also large input', async () => {
    const started = await startIn(kind, 'stty raw -echo; printf ready; head -c 9000 | cksum; exit 0');
    await until(() => started.text().includes('ready'), 'it is ready');
    const bytes = Buffer.from(Array.from({ length: 9_000 }, (_, index) => index % 128));
    await started.terminal.type(bytes);
    await ending(started.folder, started.target.identity);
    const sum = execFileSync('cksum', { input: bytes, encoding: 'utf8' }).trim();
    expect(started.text()).toContain(sum);
  });

  it('shows its current screen to a new watcher, and resumes for an earlier one without gap or repetition', async () => {
    const started = await startIn(kind, "printf 'one\\r\\ntwo\\r\\n'; read go; printf 'three\\r\\n'; read go");
    await until(() => started.text().includes('two'), 'it began');
    const first = await watchUntil(started, undefined, (text) => text.includes('two'));
    expect(first.pieces[0]?.reset).toBe(true);
    const after = first.pieces.at(-1)?.offset ?? 0;
    await started.terminal.type(Buffer.from('x\r'));
    const rest = await watchUntil(started, after, (text) => text.includes('three'));
    expect(rest.pieces.every(({ reset }) => reset === undefined)).toBe(true);
    expect(rest.text.replaceAll('\r', '')).toBe('x\nthree\n');
    const late = await watchUntil(started, undefined, (text) => text.includes('three'));
    expect(late.text).toMatch(/one[\s\S]*two[\s\S]*three/);
  });

  it('is interrupted, not ended, when its terminal is removed', async () => {
    const started = await startIn(kind, 'printf ready; sleep 600');
    await until(() => started.text().includes('ready'), 'it is ready');
    const holder = execFileSync('pgrep', ['-f', kind === 'tmux' ? `^tmux -S .* -D$` : started.folder], {
      encoding: 'utf8',
    });
    const own = holder.split('\n').filter((pid) => pid !== '' && belongsTo(pid, started));
    for (const pid of own) process.kill(Number(pid), 'SIGKILL');
    const end = await ending(started.folder, started.target.identity);
    await sweep(started.target);
    expect(programEnding(started.folder, end)).toEqual({ kind: 'interrupted' });
  });

  it('stores at most two files, however much it prints', async () => {
    const started = await startIn(kind, 'yes abcdefghijklmnopqrstuvwxyz0123456789 | head -c 36000000; echo; echo over');
    await ending(started.folder, started.target.identity);
    const files = readdirSync(started.folder).filter((name) => name.startsWith('terminal-') && !name.includes('.'));
    expect(files.length).toBeLessThanOrEqual(3);
    for (const file of files)
      expect(statSync(join(started.folder, file)).size).toBeLessThanOrEqual(SEGMENT_BYTES + 65_536);
    expect(started.text().trimEnd().endsWith('over')).toBe(true);
  }, 60_000);
});

/** The holder of this terminal, not of another test's; never the shim, whose death is another story. */
function belongsTo(pid: string, { target, folder, kind }: Started): boolean {
  if (Number(pid) === target.identity.pid) return false;
  const options = kind === 'tmux' ? ['-p', pid, '-o', 'args=', 'e'] : ['-p', pid, '-o', 'args='];
  const listing = execFileSync('ps', [...options, 'ww'], { encoding: 'utf8' });
  return listing.includes(folder) && (kind === 'tmux' || listing.includes('pty-program'));
}
