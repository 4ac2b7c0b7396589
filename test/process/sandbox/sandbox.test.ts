import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ending } from '../../../src/process/launch.ts';
import { run } from '../../../src/process/run.ts';
import { bubblewrapCommand } from '../../../src/process/sandbox/bubblewrap.ts';
import { overlayFolders } from '../../../src/process/sandbox/bubblewrap-trial.ts';
import { sandboxAvailability } from '../../../src/process/sandbox/contain.ts';
import { isMountable, type Overlays, withLayers } from '../../../src/process/sandbox/overlays.ts';
import { seccompFile } from '../../../src/process/sandbox/seccomp.ts';
import { packageCaches, programFolders, toolchainFolders } from '../../../src/process/sandbox/toolchains.ts';
import { runSupervised } from '../../../src/process/supervised.ts';
import { terminate } from '../../../src/process/terminate.ts';
import { pruneCaches } from '../../../src/workspaces/shown-layers.ts';
import { bundledBubblewrap } from '../../real/programs.ts';
import { SANDBOX } from '../../support/sandbox.ts';
import { launchIn, PATH, temporaryFolder, waitForOutput } from '../launching.ts';

describe('whether there is a sandbox', () => {
  test('bubblewrap that is not installed is reported', async () => {
    const reason = 'bubblewrap (bwrap) is not installed';
    expect(await sandboxAvailability({ PATH: '/nowhere' })).toEqual({ kind: 'none', reason });
  });

  test.runIf(process.platform === 'linux')(
    'bubblewrap that may not create namespaces is reported with its reason',
    async () => {
      const program = join(temporaryFolder(), 'bwrap');
      const refusal = 'bwrap: No permissions to create a new namespace';
      writeFileSync(
        program,
        `#!/bin/sh\n[ "$1" = --version ] && exec echo bubblewrap 0.8.0\necho '${refusal}' >&2\nexit 1\n`,
      );
      chmodSync(program, 0o755);
      const reason = `bubblewrap does not work here: ${refusal}`;
      expect(await sandboxAvailability({ PATH, MANYHANDS_BWRAP: program })).toEqual({ kind: 'none', reason });
    },
  );
});

test.skipIf(SANDBOX.missing)(
  'a real bubblewrap where user namespaces are forbidden is reported with its reason',
  async () => {
    const program = join(temporaryFolder(), 'bwrap');
    const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    writeFileSync(program, `#!/bin/sh\nexec unshare -Ur sh -c '${forbid}' sh ${SANDBOX.program} "$@"\n`, {
      mode: 0o755,
    });
    const found = await sandboxAvailability({ PATH, MANYHANDS_BWRAP: program });
    expect(found).toEqual({
      kind: 'none',
      reason: expect.stringMatching(/^bubblewrap does not work here: .*namespace/i),
    });
  },
);

test('toolchains on PATH are shown with what is beside them, and logins and projects there are not', () => {
  const home = temporaryFolder();
  const beside = ['lib', 'conf', 'release', 'other-project', '.env'];
  for (const folder of [
    ...[
      '.nvm/versions/node/v24/bin',
      '.cargo/bin',
      '.pyenv/.git',
      '.pyenv/shims',
      'bin',
      'project/.git',
      'project/bin',
    ],
    ...beside.flatMap((name) => [`tools/bin`, `tools/${name}`]),
    ...['sdk/go/bin', 'sdk/go/src', 'sdk/go/pkg/tool', 'code/bin', 'code/src', 'modules/node_modules/.bin'],
    ...['.docker/bin', '.docker/contexts', '.fly/bin', '.dotnet/sdk', '.dotnet/corefx', '.local/share/uv/credentials'],
    '.local/share/uv/tools',
  ])
    mkdirSync(join(home, folder), { recursive: true });
  const onPath = [
    ...['.nvm/versions/node/v24/bin', '.cargo/bin', '.pyenv/shims', 'bin', 'project/bin', 'missing/bin', 'tools/bin'],
    ...['sdk/go/bin', 'code/bin', 'modules/node_modules/.bin', '.docker/bin', '.fly/bin', '.dotnet', '.dotnet/tools'],
  ];
  const shown = toolchainFolders({ PATH: onPath.map((folder) => join(home, folder)).join(':') }, [home]);
  for (const folder of [
    ...['.nvm', '.cargo/bin', '.pyenv', 'bin', 'project/bin', 'tools/bin', 'tools/lib', 'tools/conf', 'tools/release'],
    ...['sdk/go/src', 'sdk/go/pkg', 'modules/node_modules', '.docker/bin', '.fly/bin', '.dotnet/sdk'],
    '.local/share/uv/tools',
  ])
    expect(shown).toContain(join(home, folder));
  for (const hidden of [
    ...['', '.cargo', 'project', 'missing', 'tools/other-project', 'tools/.env', 'code/src', '.docker/contexts'],
    ...['.dotnet/corefx', '.local/share/uv/credentials'],
  ])
    expect(shown.filter((folder) => `${join(home, hidden)}/`.startsWith(`${folder}/`))).toEqual([]);
});

test('Homebrew on PATH is shown with the packages that its programs are links to, not with data and settings of services', () => {
  const brew = join(temporaryFolder(), '.linuxbrew');
  const shown = ['bin', 'lib', 'Cellar', 'opt', 'etc/ca-certificates', 'etc/openssl@3/certs'];
  const hidden = ['.git', 'var', 'etc/redis', 'etc/openssl@3/private', 'Caskroom'];
  for (const folder of [...shown, ...hidden]) mkdirSync(join(brew, folder), { recursive: true });
  const found = toolchainFolders({ PATH: join(brew, 'bin') }, ['/home/nobody']).filter((each) => each.startsWith(brew));
  expect(found.sort()).toEqual(shown.map((folder) => join(brew, folder)).sort());
});

test('a folder on PATH that cannot be entered or listed is not shown, and not reported as an error', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'closed', 'bin'), { recursive: true });
  chmodSync(join(root, 'closed'), 0o100);
  symlinkSync('itself', join(root, 'itself'));
  const onPath = ['closed/bin', 'itself/bin'].map((folder) => join(root, folder));
  expect(toolchainFolders({ PATH: onPath.join(':') }, ['/home/nobody'])).not.toContain(join(root, 'itself', 'bin'));
  expect(programFolders([join(root, 'itself', 'bin', 'tool')], ['/home/nobody'])).toEqual([]);
  chmodSync(join(root, 'closed'), 0o700);
});

describe.skipIf(SANDBOX.missing)('a folder that is hidden', () => {
  const list = (folder: string) => ({ command: ['/bin/ls', folder], cwd: '/', env: { PATH, HOME: '/home/nobody' } });
  const makeHidden = (root: string) => {
    const folder = join(root, 'data');
    mkdirSync(join(folder, 'workspace'), { recursive: true });
    writeFileSync(join(folder, 'token'), 'secret');
    return folder;
  };

  test('is not visible in a folder that the settings show, except what is shown of it', async () => {
    const root = temporaryFolder();
    const folder = makeHidden(root);
    const paths = { read: [root], write: [join(folder, 'workspace')], hidden: [folder] };
    const { stdout } = await run(bubblewrapCommand(SANDBOX.program, list(folder), paths), {
      env: { PATH },
      timeoutMs: 20_000,
    });
    expect(stdout.toString()).toBe('workspace\n');
  });

  test.runIf(process.getuid?.() === 0)(
    'is not visible below a folder of the system, also by a link to it',
    async () => {
      const root = mkdtempSync('/opt/manyhands-test-');
      try {
        const folder = makeHidden(root);
        const link = join(temporaryFolder(), 'link');
        symlinkSync(folder, link);
        const paths = { read: [], write: [], hidden: [link] };
        const { stdout } = await run(bubblewrapCommand(SANDBOX.program, list(folder), paths), {
          env: { PATH },
          timeoutMs: 20_000,
        });
        expect(stdout.toString()).toBe('');
      } finally {
        rmSync(root, { recursive: true });
      }
    },
  );
});

test('the caches of package managers are known, also where a variable names them, and logins beside them are not', () => {
  const caches = packageCaches({ PIP_CACHE_DIR: '/elsewhere', npm_config_cache: 'relative' }, '/home/ann');
  expect(caches).toEqual(
    expect.arrayContaining([
      '/home/ann/.npm/_cacache',
      '/elsewhere',
      '/home/ann/.cargo/registry',
      '/home/ann/.yarn/berry',
      '/home/ann/.local/share/pnpm/store',
      '/home/ann/.cache/uv',
    ]),
  );
  expect(caches.filter((path) => /\.cargo$|\.npm$|\.yarn$|\.cache\/pip|\.m2$|relative/.test(path))).toEqual([]);
});

test.skipIf(SANDBOX.missing).each([3, 9, 12])('a folder that was open as descriptor %i is closed', (index) => {
  const open = openSync('/', 'r');
  try {
    const list = { command: ['/bin/sh', '-c', 'ls /proc/self/fd'], cwd: '/', env: { PATH } };
    const [program = '', ...args] = bubblewrapCommand(SANDBOX.program, list, { read: [], write: [], hidden: [] });
    const stdio = Array.from({ length: index + 1 }, (_, at) => (at === index ? open : at === 1 ? 'pipe' : 'ignore'));
    const { stdout } = spawnSync(program, args, { env: { PATH }, stdio, encoding: 'utf8' });
    // The last one is the folder that is listed.
    expect(stdout.trim().split('\n')).toEqual(['0', '1', '2', '3']);
  } finally {
    closeSync(open);
  }
});

describe.skipIf(SANDBOX.missing)('a cache of a package manager', () => {
  const programs = [...new Set([SANDBOX.program, bundledBubblewrap()])].filter((program) => existsSync(program));
  const options = { env: { PATH }, timeoutMs: 20_000 };
  const makeCache = (name: string) => {
    const cache = join(temporaryFolder(), name);
    mkdirSync(cache);
    writeFileSync(join(cache, 'kept'), 'original');
    return cache;
  };
  const contained = (script: string, cache: string) => ({
    command: ['/bin/sh', '-c', `cd "$0" && ${script}`, cache],
    cwd: '/',
    env: { PATH, HOME: '/home/nobody' },
  });
  const only = (overlaid: Overlays) => ({ read: [], write: [], hidden: [], overlaid });

  test.each(programs)('is copy-on-write with %s, also where that has no overlays of its own', async (program) => {
    const caches = [makeCache('cache'), makeCache("it's another")];
    const staging = join(temporaryFolder(), 'overlays');
    const overlaid = await overlayFolders(program, caches, staging);
    // The system of the tests allows such mounts, or none at all.
    expect([
      { by: 'mounts', folders: caches.map((path) => ({ path, lower: [path] })), staging },
      expect.objectContaining({ folders: [] }),
    ]).toContainEqual(overlaid);
    for (const { path: cache } of overlaid.folders) {
      const command = contained('cat kept; echo changed >kept && echo new >new && cat kept', cache);
      const { stdout, stderr } = await run(bubblewrapCommand(program, command, only(overlaid)), options);
      expect(stdout.toString(), stderr).toBe('originalchanged\n');
      expect([readFileSync(join(cache, 'kept'), 'utf8'), existsSync(join(cache, 'new'))]).toEqual(['original', false]);
    }
  });

  test('holds no more than a private folder may, and nothing starts where it cannot be mounted', async ({ skip }) => {
    const cache = makeCache('limited');
    const staging = join(temporaryFolder(), 'overlays');
    const overlaid = await overlayFolders(SANDBOX.program, [cache], staging);
    if (overlaid.by !== 'mounts' || overlaid.folders.length === 0) skip('this system does not allow to mount overlays');
    const limited = { ...only(overlaid), privateBytes: 1024 * 1024 };
    const writing = bubblewrapCommand(SANDBOX.program, contained('head -c 3000000 /dev/zero >large', cache), limited);
    expect((await run(writing, options)).stderr).toContain('No space left on device');
    const broken: Overlays = { by: 'mounts', folders: [{ path: cache, lower: [join(cache, 'kept')] }], staging };
    const reading = bubblewrapCommand(SANDBOX.program, contained('echo started', '/'), only(broken));
    const { code, stdout } = await run(reading, options);
    expect([code === 0, stdout.toString()]).toEqual([false, '']);
  });

  test('keeps what a set-up adds, which later programs see below their own changes', async ({ skip }) => {
    const [cache, missing] = [makeCache('cache'), join(temporaryFolder(), 'none', 'yet')];
    const staging = join(temporaryFolder(), 'overlays');
    const folder = join(temporaryFolder(), 'layers');
    const overlaid = await overlayFolders(SANDBOX.program, [cache], staging);
    if (overlaid.by === 'none') skip('this system does not allow to mount overlays');
    const runWith = async (isWritten: boolean, script: string) => {
      const shown = only(withLayers(overlaid, [cache, missing], { folder, isWritten }));
      return (
        await run(bubblewrapCommand(SANDBOX.program, contained(script, cache), shown), options)
      ).stdout.toString();
    };
    await runWith(true, `echo added >added; rm kept; echo other >${missing}/other`);
    await pruneCaches(folder);
    const list = `ls; cat added ${missing}/other; echo mine >>added; echo mine >${missing}/mine`;
    for (const _ of [1, 2]) expect(await runWith(false, list)).toBe('added\nadded\nother\n');
    expect([readFileSync(join(cache, 'kept'), 'utf8'), existsSync(missing)]).toEqual(['original', false]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test.each(['a,b', 'a:b', 'a\\b'])('is not mounted where its name would be read as an option: %s', (name) => {
    expect(isMountable(join('/home/ann', name))).toBe(false);
  });
});

describe.skipIf(SANDBOX.missing)(`a launched program ${SANDBOX.title}`, () => {
  const contained = (script: string, folder: string) =>
    bubblewrapCommand(
      SANDBOX.program,
      { command: ['sh', '-c', script], cwd: folder, env: { PATH, HOME: '/home/nobody' } },
      { read: [], write: [folder], hidden: [] },
    );

  test('can end by itself when it is asked to, and its exit code is its own', async () => {
    const work = temporaryFolder();
    const script = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
    const { go, target } = await launchIn(contained(script, work), { cwd: work });
    go();
    await waitForOutput(join(target.folder, 'stdout'), /ready/);
    await terminate(target, { graceMs: 20_000 });
    expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 7 });
    expect(readFileSync(join(target.folder, 'stdout'), 'utf8')).toContain('bye');
  });

  test('a check in it succeeds only by its own exit code, and what it leaves running ends', async () => {
    const work = temporaryFolder();
    const run = (script: string) =>
      runSupervised({
        folder: join(temporaryFolder(), 'check'),
        command: ['sh', '-c', script],
        contain: () => contained(script, work),
        cwd: work,
        env: { PATH },
        timeoutMs: 60_000,
        maxOutputBytes: 1_000_000,
        signal: new AbortController().signal,
      });
    const passed = await run('echo made >file; setsid sleep 300 & exit 0');
    expect([passed.isProvenSuccess, passed.leftoverProcesses]).toEqual([true, 0]);
    expect((await run('exit 3')).ending).toEqual({ kind: 'exited', code: 3 });
  });

  test.skipIf(process.arch !== 'x64')(
    'may not use the keyrings of the kernel, nor other calls that pass by it',
    async () => {
      const work = temporaryFolder();
      const seccomp = await seccompFile(work);
      const calls = [250, 321, 298, 323, 425, 304].map(
        (call) => `$! = 0; syscall(${call}, 0, -4, 0); print $! + 0, " ";`,
      );
      const script = `${calls.join(' ')} my $x = "x"; ioctl(STDIN, 0x5412, $x); print $! + 0, " "; open(F, "<", "/etc/passwd"); $! = 0; fcntl(F, 1024, 1); print $! + 0, " "; print syscall(39) > 0`;
      const end = await runSupervised({
        folder: join(temporaryFolder(), 'check'),
        command: ['perl', '-e', script],
        contain: (program) =>
          bubblewrapCommand(SANDBOX.program, program, { read: [], write: [work], hidden: [], seccomp }),
        cwd: work,
        env: { PATH },
        timeoutMs: 60_000,
        maxOutputBytes: 1_000_000,
        signal: new AbortController().signal,
      });
      expect(readFileSync(end.outputFile, 'utf8')).toBe(`${'1 '.repeat(8)}1`);
    },
  );

  test('writes only what its vendor refreshes and its sessions; settings are copies, and hooks read-only', async () => {
    const home = temporaryFolder();
    const work = temporaryFolder();
    const folder = join(home, '.vendor');
    for (const name of ['hooks', 'projects', 'state']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['token', 'settings.json', 'hooks/run', 'projects/old', 'state/x'])
      writeFileSync(join(folder, name), 'original\n');
    writeFileSync(join(home, '.vendor.json'), 'original\n');
    const copied = [
      { path: folder, refreshed: ['token', 'missing'], sessions: ['projects', 'later'], read: ['hooks'] },
      { path: join(home, '.vendor.json'), refreshed: [], sessions: [], read: [] },
      { path: join(home, '.absent.json'), refreshed: [], sessions: [], read: [] },
    ];
    const script = [
      'cd "$HOME/.vendor"; cat token settings.json hooks/run projects/old ../.vendor.json; ls -A ..',
      'for f in token settings.json new.json hooks/run hooks/new projects/new later/new state/y ../.vendor.json; do',
      '  mkdir -p "$(dirname $f)"; echo changed >$f; done 2>/dev/null',
      'mv settings.json other.json && mv other.json settings.json && cat settings.json',
    ].join('\n');
    const end = await runSupervised({
      folder: join(temporaryFolder(), 'check'),
      command: ['sh', '-c', script],
      contain: (program) =>
        bubblewrapCommand(SANDBOX.program, program, { read: [], write: [work], hidden: [], copied }),
      cwd: work,
      env: { PATH, HOME: home },
      timeoutMs: 60_000,
      maxOutputBytes: 1_000_000,
      signal: new AbortController().signal,
    });
    const output = readFileSync(end.outputFile, 'utf8').trim().split('\n');
    expect(output).toEqual([...Array(5).fill('original'), '.vendor', '.vendor.json', 'changed']);
    const text = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
    expect([text('token'), text('projects/new'), text('later/new')]).toEqual(['changed', 'changed', 'changed']);
    expect([text('settings.json'), text('hooks/run'), text('../.vendor.json')]).toEqual(Array(3).fill('original'));
    for (const name of ['new.json', 'hooks/new', 'state/y']) expect(existsSync(join(folder, name))).toBe(false);
  });
});
