import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/process/run.ts';
import { bubblewrapCommand } from '../../../src/process/sandbox/bubblewrap.ts';
import { SANDBOX } from '../../support/sandbox.ts';
import { PATH, temporaryFolder } from '../launching.ts';

describe.skipIf(SANDBOX.missing)('a program in a sandbox', () => {
  /** How a script in it ended, which succeeds if it escaped. */
  const tried = async (script: string, paths: { read?: string[]; programs?: string[] } = {}) => {
    const home = temporaryFolder();
    const env = { PATH, HOME: home };
    const program = { command: ['/bin/sh', '-c', script], cwd: '/', env, programs: paths.programs ?? [] };
    const command = bubblewrapCommand(SANDBOX.program, program, { read: paths.read ?? [], write: [], hidden: [home] });
    return run(command, { env, timeoutMs: 20_000 });
  };

  test.each(['/dev/null', '/dev/zero', '/dev/urandom', '/dev/tty', '/proc/1/fd/0', '/proc/self/fd/0', '/proc/1/exe'])(
    'cannot change %s for everybody',
    async (file) => {
      const same = `mode=$(stat -L -c %a ${file}) && chmod "$mode" ${file}`;
      // Only root owns devices; their times may be changed by everybody, with and without a sandbox.
      const both = process.getuid?.() === 0 ? `${same} </dev/null; touch -c ${file}` : `${same} </dev/null`;
      const { code, stderr } = await tried(`${both} || exit 1`);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/Read-only file system|not permitted|Permission denied/),
      ]);
    },
  );

  test('has the input and the devices that it needs', async () => {
    const script = 'test -c /dev/stdin && echo x >/dev/null && head -c 3 /dev/urandom | wc -c && cat';
    const { code, stdout } = await tried(script);
    expect([code, stdout.toString().trim()]).toEqual([0, '3']);
  });

  test('connects to no service whose socket is beside a program that it sees, only to one that is shown to it', async () => {
    const folders = { programs: temporaryFolder(), read: temporaryFolder() };
    writeFileSync(join(folders.programs, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
    const servers = Object.values(folders).map((folder) =>
      createServer((socket) => socket.end('hello')).listen(join(folder, 's')),
    );
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const connect = (folder: string) =>
      `perl -e 'socket(S, 1, 1, 0); connect(S, pack("S a108", 1, shift)) or exit 1; exit(<S> ne "hello")' ${folder}/s`;
    const paths = { programs: [join(folders.programs, 'tool')], read: [folders.read] };
    const [hidden, shown] = [await tried(connect(folders.programs), paths), await tried(connect(folders.read), paths)];
    expect([hidden.code, shown.code]).toEqual([1, 0]);
    for (const server of servers) server.close();
  });
});
