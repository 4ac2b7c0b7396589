import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunDocument } from '../../src/schema/document.ts';

/** MANYHANDS_TEST_SANDBOX=require: tests whose programs need no more than a sandbox shows run in it. */
export const CONTAINS_ALL = process.env.MANYHANDS_TEST_SANDBOX === 'require';

/** The folder in HOME that agents and checks can write, also in a sandbox. */
export const SHARED_FOLDER = 'shared';

/** Writes the settings of a person who requires the sandbox, and gives the environment in which it is found. */
export async function requireSandbox(root: string): Promise<Record<string, string>> {
  // Only then is it tried which sandbox works.
  const { SANDBOX } = await import('./sandbox.ts');
  if (SANDBOX.missing) throw new Error(`Tests cannot run ${SANDBOX.title}`);
  // The file of a project names the agents in `programs`, so a sandbox does not show them by itself.
  const sandboxPaths = {
    read: [join(root, 'data', 'mirrors'), join(root, 'programs')],
    write: [join(root, SHARED_FOLDER)],
  };
  const folder = join(root, '.config', 'manyhands');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), `${JSON.stringify({ sandbox: 'require', sandboxPaths })}\n`);
  return { MANYHANDS_BWRAP: SANDBOX.program };
}

/** Every attempt of a run was in a sandbox, or none was; resources are limited where a cgroup can be written. */
export function expectContainment(contained: boolean, { tasks }: Pick<RunDocument, 'tasks'>): void {
  const records = tasks.flatMap(({ key, containment = [] }) => containment.map((record) => ({ key, ...record })));
  expect(records.length).toBeGreaterThan(0);
  const isExpected = ({ level, missing }: (typeof records)[number]) =>
    contained ? missing.every((part) => part === 'resources') : level === 'none';
  expect(records.filter((record) => !isExpected(record))).toEqual([]);
}
