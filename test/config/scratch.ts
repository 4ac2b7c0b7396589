import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { ConfigLocation } from '../../src/config/files.ts';
import { AppError } from '../../src/errors.ts';

/** A project and a person's settings in a temporary folder. */
export type Scratch = AsyncDisposable & {
  root: string;
  place: ConfigLocation;
  projectFile: string;
  globalFile: string;
  write(which: 'project' | 'global', text: string | Buffer): Promise<void>;
};

export async function scratch(): Promise<Scratch> {
  const root = await mkdtemp(join(tmpdir(), 'mh-config-'));
  const dir = join(root, 'project');
  const projectFile = join(dir, '.manyhands', 'config.yaml');
  const globalFile = join(root, 'settings', 'manyhands', 'config.yaml');
  return {
    root,
    place: { dir, env: { HOME: root, XDG_CONFIG_HOME: join(root, 'settings') } },
    projectFile,
    globalFile,
    write: async (which, text) => {
      const file = which === 'project' ? projectFile : globalFile;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** The error that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  if (!(error instanceof AppError)) throw new Error('no AppError');
  return error;
}
