import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canMountAsRoot, type MountStep } from '../../../src/process/sandbox/own-mounts.ts';
import { startBubblewrap } from '../../../src/process/sandbox/start-bubblewrap.ts';
import { SANDBOX } from '../../support/sandbox.ts';
import { PATH, temporaryFolder } from '../launching.ts';

/** What runs the tests may have left descriptors above 9 open, which only perl closes. */
const FEW_OPEN = `for f in /proc/$$/fd/*; do n=\${f##*/}; [ "$n" -lt 10 ] || eval "exec $n>&-"; done; exec "$@"`;

const STARTS = [
  { name: 'perl', isPerl: true },
  { name: 'shells', isPerl: false },
];

describe.skipIf(SANDBOX.missing || !canMountAsRoot()).each(STARTS)('bubblewrap started by $name', ({ isPerl }) => {
  /** What a script prints in a sandbox that shows everything, after these steps. */
  const shown = (script: string, steps: readonly MountStep[], stdio: 'pipe' | number = 'pipe') => {
    const start = startBubblewrap(SANDBOX.program, undefined, steps, { isPerl });
    const args = ['-c', FEW_OPEN, 'bash', ...start, '--ro-bind', '/', '/', '--', '/bin/sh', '-c', script];
    const files = ['pipe', 'pipe', 'pipe', ...(stdio === 'pipe' ? [] : [stdio])] as const;
    const { stdout, stderr } = spawnSync('/bin/bash', args, { env: { PATH }, stdio: [...files], encoding: 'utf8' });
    return [stdout.trim(), stderr.trim()];
  };

  test('has its mounts, each with the folders that it needs', () => {
    const root = temporaryFolder();
    const [lower, hidden, secret] = ['lower', 'hidden', 'secret'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [lower, hidden]) mkdirSync(folder);
    for (const file of [join(lower, 'a'), join(hidden, 'b'), secret]) writeFileSync(file, 'text');
    const memory = join(root, 'in memory');
    mkdirSync(memory);
    const [upper, work, path] = ['upper', 'work', 'shown'].map((name) => join(memory, name)) as [
      string,
      string,
      string,
    ];
    const steps: MountStep[] = [
      { kind: 'read-only', path: root },
      { kind: 'no-file', path: secret },
      { kind: 'no-folder', path: hidden },
      { kind: 'tmpfs', path: memory, options: 'size=1000000,mode=700', folders: [] },
      {
        kind: 'overlay',
        path,
        options: `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr`,
        folders: [upper, work, path],
      },
    ];
    const script = `cat '${path}/a'; ls '${hidden}'; cat '${secret}'; touch '${root}/new'`;
    const [stdout, stderr] = shown(script, steps);
    expect(stdout).toBe('text');
    expect(stderr).toMatch(/new.*Read-only file system/);
  });

  test('is not started where a step fails', () => {
    const [stdout, stderr] = shown('echo started', [{ kind: 'no-file', path: '/nowhere/file' }]);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/\/nowhere\/file.*(No such file|does not exist)/);
  });

  test('inherits nothing that its caller had open', () => {
    const open = openSync(temporaryFolder(), 'r');
    const [stdout] = shown('[ -e /proc/self/fd/3 ] || echo closed', [], open);
    closeSync(open);
    expect(stdout).toBe('closed');
  });
});
