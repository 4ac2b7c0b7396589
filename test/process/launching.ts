import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTree } from '../../src/process/cgroup.ts';
import { type Launch, type Launched, type LaunchOptions, launch } from '../../src/process/launch.ts';
import { tail } from '../../src/process/tail.ts';
import { sweep, type Target } from '../../src/process/terminate.ts';
import { realWorld } from '../../src/world.ts';

export const PATH = '/usr/local/bin:/usr/bin:/bin';

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'manyhands-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A launch in a new folder; whatever is left of it ends with the test. */
export async function launchIn(
  command: readonly string[],
  spec: Partial<Launch> = {},
  options: LaunchOptions = {},
): Promise<Launched & { target: Target }> {
  const folder = spec.folder ?? temporaryFolder();
  const token = realWorld.token();
  const env = { PATH, ...spec.env, MANYHANDS_TOKEN: token };
  const launched = await launch({ cwd: folder, ...spec, folder, command, token, env }, options);
  const target = { identity: launched.identity, folder, token };
  const record = readIfThere(join(folder, 'cgroup'));
  onTestFinished(async () => {
    await sweep(target);
    if (record !== '') removeTree(record);
  });
  return { ...launched, target };
}

/** Starts a shell text at once. */
export async function start(script: string, spec: Partial<Launch> = {}): Promise<Target> {
  const { go, target } = await launchIn(['sh', '-c', script], spec);
  go();
  return target;
}

/** The first match in a file that a program is writing. */
export async function waitForOutput(file: string, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  const found = Promise.withResolvers<RegExpExecArray>();
  const reader = tail({
    file,
    from: 0,
    onChunk: (chunk) => {
      text += chunk.toString('utf8');
      const match = pattern.exec(text);
      if (match) found.resolve(match);
    },
    onTruncated: () => {},
    signal: new AbortController().signal,
  });
  try {
    return await found.promise;
  } finally {
    reader.close();
  }
}

export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
