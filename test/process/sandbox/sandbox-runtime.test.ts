import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../../src/process/run.ts';
import { sandboxAvailability } from '../../../src/process/sandbox/contain.ts';
import { runtimeCommand, runtimeSettings } from '../../../src/process/sandbox/runtime.ts';
import { type RuntimeSettings, runtimeScript, withPort } from '../../../src/process/sandbox/runtime-config.ts';
import type { SandboxPaths } from '../../../src/process/sandbox/sandbox.ts';
import { SANDBOX } from '../../support/sandbox.ts';
import { PATH, temporaryFolder } from '../launching.ts';

const PROFILE = fileURLToPath(new URL('../../fixtures/sandbox/macos-profile.ts', import.meta.url));
const OWN = { home: '/private/var/folders/x/home', temporary: '/private/var/folders/x/tmp' };
const WORKSPACE = '/Users/ann/.manyhands/workspaces/[1]/w';
const OBJECTS = '/Users/ann/.manyhands/mirrors/p/objects';
const TOKEN = '/Users/ann/.vendor/token';
const place = { ...OWN, port: 5000, read: [OBJECTS], write: [WORKSPACE, TOKEN], isAttended: false };

type Rule = { isAllowed: boolean; operations: string[]; filters: string[] };

function profileFor(network: RuntimeSettings['network'], more: Partial<typeof place> = {}): string {
  const settings = {
    command: ['/bin/echo', "it's"],
    cwd: WORKSPACE,
    home: '/Users/ann',
    read: [],
    write: [],
    copied: [],
  };
  const input = JSON.stringify({ settings: { ...settings, network }, place: { ...place, ...more } });
  const { stdout, stderr } = spawnSync(process.execPath, [PROFILE, input], {
    cwd: dirname(PROFILE),
    encoding: 'utf8',
  });
  expect(stdout, stderr).toContain('/usr/bin/sandbox-exec -p');
  return stdout;
}

/** The rules of a profile that are about paths, in their order. */
function rulesOf(profile: string): Rule[] {
  return profile.split(/^(?=\()/m).flatMap((text): Rule[] => {
    const [head = '', verdict, operations = ''] = /^\((allow|deny) ((?:file-[a-z-]+\*?\s*)+)/.exec(text) ?? [];
    if (head === '') return [];
    const filters = text.matchAll(/\((subpath|literal|regex|vnode-type) #?("(?:[^"\\]|\\.)*"|[\w-]+)/g);
    return [
      {
        isAllowed: verdict === 'allow',
        operations: operations.trim().split(/\s+/),
        filters: [...filters].map(([, kind, value]) => `${kind} ${value}`),
      },
    ];
  });
}

/** Whether macOS would allow it: the last rule that applies decides, and without one it is denied. */
function allows(rules: readonly Rule[], operation: string, path: string): boolean {
  const applies = ({ operations, filters }: Rule) =>
    operations.some((each) => (each.endsWith('*') ? operation.startsWith(each.slice(0, -1)) : each === operation)) &&
    (filters.length === 0 || filters.some((filter) => matches(filter, path)));
  return rules.findLast(applies)?.isAllowed ?? false;
}

function matches(filter: string, path: string): boolean {
  const [, kind, value = ''] = /^(\S+) (.*)$/.exec(filter) ?? [];
  if (kind === 'vnode-type') return false;
  const text = JSON.parse(value) as string;
  if (kind === 'regex') return new RegExp(text).test(path);
  return path === text || (kind === 'subpath' && path.startsWith(text === '/' ? '/' : `${text}/`));
}

describe('the profile of macOS', () => {
  const rules = rulesOf(profileFor({ sharesLoopback: false }));

  test.each([
    ...['/usr/bin/git', '/bin/sh', '/System/Library/x', '/private/etc/ssl/cert.pem', '/dev/urandom'],
    ...[`${WORKSPACE}/a.txt`, `${OBJECTS}/pack/x`, TOKEN, `${OWN.home}/.cache/x`, `${OWN.temporary}/x`],
  ])('lets a program read %s', (path) => {
    expect(allows(rules, 'file-read-data', path)).toBe(true);
  });

  test.each([
    ...['/Users/ann/.ssh/id_ed25519', '/Users/ann/.aws/credentials', '/Users/ann/.gnupg/x', '/Users/ann/.zshrc'],
    ...['/Users/ann/.vendor/settings.json', '/Users/ann/Library/Keychains/login.keychain-db', '/Library/Keychains/x'],
    ...['/Users/ann/Library/Application Support/Google/Chrome/x', '/Users/ann/other-project/x', '/Users/bob/x'],
    ...['/Users/ann/.manyhands/server/tokens.json', '/Users/ann/.manyhands/engine.sock', '/Users/ann'],
    ...['/Users/ann/.manyhands/workspaces/1/w/x', '/Users/ann/.manyhands/workspaces/[1]/other/x'],
    ...['/Volumes/Backup/x', '/private/tmp/x', '/tmp/x', '/private/var/folders/y/x', '/dev/ttys003', '/dev/disk1'],
    ...['/private/etc/ssh/ssh_host_key', '/private/etc/master.passwd', '/private/var/root/x', '/srv/x'],
  ])('does not let a program read or write %s', (path) => {
    const operations = ['file-read-data', 'file-write-data', 'file-write-create', 'file-write-unlink'];
    expect(operations.filter((operation) => allows(rules, operation, path))).toEqual([]);
  });

  test.each([
    ...[`${WORKSPACE}/a.txt`, `${WORKSPACE}/.git/hooks/pre-commit`, `${WORKSPACE}/.git/config`, TOKEN],
    ...[`${WORKSPACE}/.vscode/settings.json`, `${OWN.home}/.bashrc`, `${OWN.temporary}/x`],
  ])('lets a program write %s', (path) => {
    for (const operation of ['file-write-data', 'file-write-create', 'file-write-unlink'])
      expect(allows(rules, operation, path), operation).toBe(true);
  });

  test.each([
    ...['/usr/local/bin/x', '/opt/homebrew/bin/x', '/private/etc/hosts', `${OBJECTS}/pack/x`],
    ...['/tmp/claude/x', '/private/tmp/claude/x', `${TOKEN}.tmp`, '/Users/ann/.vendor/hooks/x'],
  ])('does not let a program write %s', (path) => {
    for (const operation of ['file-write-data', 'file-write-create', 'file-write-unlink'])
      expect(allows(rules, operation, path), operation).toBe(false);
  });

  const networkRules = (profile: string) => profile.match(/^\(allow (network|system-socket)\S*.*\)$/gm);

  test('reaches nothing but the port of its network session, and no Unix socket', () => {
    expect(networkRules(profileFor({ sharesLoopback: false }))).toEqual([
      '(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))',
      ...['bind (local', 'inbound (local', 'outbound (remote'].map(
        (what) => `(allow network-${what} ip "localhost:5000"))`,
      ),
    ]);
  });

  test('reaches the loopback besides where it shares that, and everything only with an open network', () => {
    const shared = networkRules(profileFor({ sharesLoopback: true })) ?? [];
    expect(shared.filter((rule) => rule.includes('outbound'))).toEqual([
      '(allow network-outbound (remote ip "localhost:*"))',
      '(allow network-outbound (remote ip "localhost:5000"))',
    ]);
    expect(networkRules(profileFor(undefined))).toContain('(allow network*)');
  });

  test('denies what no rule names, signals to others, and terminals except to a program that a person attends', () => {
    const profile = profileFor({ sharesLoopback: false });
    expect(profile).toContain('(deny default');
    expect(profile.match(/^\(allow signal.*$/gm)).toEqual(['(allow signal (target same-sandbox))']);
    expect(profile).not.toContain('pseudo-tty');
    expect(profileFor({ sharesLoopback: false }, { isAttended: true })).toContain('(allow pseudo-tty)');
  });
});

test('a program gets its own folders, its words as they are, and its address in place of that of other sandboxes', () => {
  const settings = {
    command: ['/bin/echo', "it's $HOME", '127.0.0.1:61080/key1'],
    cwd: "/w/o'k",
    home: '/h',
    read: [],
    write: [],
    copied: [],
  };
  const text = runtimeScript({ ...settings, network: { sharesLoopback: false } }, place);
  expect(text).toContain(`export HOME='${OWN.home}' TMPDIR='${OWN.temporary}'`);
  expect(text).toMatch(/cd '\/w\/o'\\''k' && exec '\/bin\/echo' 'it'\\''s \$HOME' '127\.0\.0\.1:5000\/key1'$/);
  expect(runtimeScript(settings, place)).not.toContain('NO_PROXY');
  expect(withPort('http://127.0.0.1:61080/key1 127.0.0.1:6108', 7)).toBe('http://127.0.0.1:7/key1 127.0.0.1:6108');
});

test('the permissions of a task become settings, with the socket of its session and nothing hidden', () => {
  const paths = { read: ['/o'], write: ['/w'], hidden: ['/data'], network: { proxy: '/data/network/1', ports: [1] } };
  const settings = runtimeSettings({ command: ['/bin/true'], cwd: '/w', env: { HOME: '/h', PATH: '' } }, paths);
  expect(settings).toMatchObject({ write: ['/w'], home: '/h', network: { sharesLoopback: false } });
  expect(settings.network?.socket).toMatch(/^\/data\/network\/1\/./);
  expect(settings.read).toContain('/o');
  expect(settings.read.filter((path) => ['/', '/h', '/data'].includes(path))).toEqual([]);
});

test('without what macOS has, there is no sandbox there, and none on other systems', async () => {
  if (process.platform !== 'darwin')
    expect(await sandboxAvailability({}, 'darwin')).toEqual({
      kind: 'none',
      reason: '/usr/bin/sandbox-exec does not exist',
    });
  expect(await sandboxAvailability({}, 'win32')).toEqual({ kind: 'none', reason: 'there is no sandbox for win32' });
});

const tools = ['socat', 'rg'].map((name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)),
);
const isRunnable = process.platform === 'linux' && !SANDBOX.missing && !tools.includes(undefined);

/** The runtime has a backend for Linux too, with which the process that contains a program can be run here. */
describe.skipIf(!isRunnable)(
  `a program of the sandbox runtime${isRunnable ? '' : ' (skipped: it needs socat and rg)'}`,
  () => {
    const contained = async (script: string, paths: Partial<SandboxPaths>, home: string, cwd: string) => {
      const programs = temporaryFolder();
      symlinkSync(SANDBOX.program, join(programs, 'bwrap'));
      for (const tool of tools) symlinkSync(tool ?? '', join(programs, basename(tool ?? '')));
      // On Linux the library puts the sockets of a network there, which the program must see.
      const temporary = paths.network === undefined ? temporaryFolder() : programs;
      const env = { PATH: `${programs}:${PATH}`, HOME: home, TMPDIR: temporary };
      // On Linux it starts helpers inside, too.
      const shown = { read: [programs, ...tools.map((tool) => dirname(tool ?? ''))], write: [cwd], hidden: [home] };
      const program = { command: ['/bin/sh', '-c', script], cwd, env: { PATH, HOME: home } };
      const command = runtimeCommand(program, { ...shown, network: {}, ...paths });
      const ended = await run(command, { env, cwd, timeoutMs: 60_000 });
      return { ...ended, left: readdirSync(temporary) };
    };

    test('sees and writes only its own task, with its exit code, and leaves nothing', async () => {
      const [home, work] = [temporaryFolder(), temporaryFolder()];
      writeFileSync(join(home, 'canary'), 'secret');
      const script = `cat ${home}/canary; ls ~; echo made >made; echo x >~/mine; echo x >$TMPDIR/x; ls ~; exit 7`;
      const { code, stdout, stderr, left } = await contained(script, {}, home, work);
      expect([code, stdout.toString()], stderr).toEqual([7, 'mine\n']);
      expect([readFileSync(join(work, 'made'), 'utf8'), readdirSync(home)]).toEqual(['made\n', ['canary']]);
      expect(left.filter((name) => name.startsWith('mh-sandbox-'))).toEqual([]);
    });

    test('refreshes its login also by replacing it, and nothing else of it', async () => {
      const [home, work] = [temporaryFolder(), temporaryFolder()];
      const folder = join(home, '.vendor');
      mkdirSync(join(folder, 'hooks'), { recursive: true });
      for (const name of ['token', 'settings.json', 'hooks/run']) writeFileSync(join(folder, name), 'original');
      const copied = [{ path: folder, refreshed: ['token'], sessions: ['projects'], read: ['hooks'] }];
      const script = [
        'cd ~/.vendor; cat token settings.json hooks/run',
        'for f in settings.json hooks/run hooks/new planted projects/one; do echo changed >$f; done 2>/dev/null',
        'printf new >token.tmp; mv token.tmp token',
      ].join('\n');
      const { stdout, stderr } = await contained(script, { copied }, home, work);
      expect(stdout.toString(), stderr).toBe('original'.repeat(3));
      const text = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
      expect(['token', 'settings.json', 'hooks/run', 'projects/one'].map(text)).toEqual([
        'new',
        'original',
        'original',
        'changed',
      ]);
      expect(readdirSync(folder).sort()).toEqual(['hooks', 'projects', 'settings.json', 'token']);
    });

    test('reaches its network session, and nothing without one', async () => {
      const [home, work, proxy] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
      const server = createServer((socket) =>
        socket.on('data', (bytes) => {
          if (!bytes.toString().startsWith('CONNECT'))
            socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${bytes.toString().split(' ')[1]}`);
        }),
      );
      await new Promise<void>((resolve) => server.listen(join(proxy, 'proxy.sock'), resolve));
      onTestFinished(() => void server.close());
      const script = 'curl -s -m 20 http://example.test/x || echo "refused"';
      const reached = await contained(script, { network: { proxy } }, home, work);
      expect(reached.stdout.toString(), reached.stderr).toBe('http://example.test/x');
      expect((await contained(script, {}, home, work)).stdout.toString()).toBe('refused\n');
    });
  },
);
