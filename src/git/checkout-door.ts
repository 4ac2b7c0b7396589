import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord } from '../process/shell-word.ts';
import { type Mirror, privateFolder } from './mirror-config.ts';

/**
 * Makes the folder whose hook moves a checkout with a branch although these files in it differ: they stay as they are. Whatever
 * else differs, and a landing that touches one of them, is refused as git itself would.
 */
export async function checkoutDoor(mirror: Mirror, keep: readonly string[]): Promise<string> {
  const folder = join(privateFolder(mirror), 'checkout-door');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'push-to-checkout'), scriptFor(keep), { mode: 0o700 });
  return folder;
}

function scriptFor(keep: readonly string[]): string {
  const others = [':(top)', ...keep.map((file) => `:(top,exclude,literal)${file}`)].map(shellWord).join(' ');
  return [
    '#!/bin/sh',
    'refuse() { echo "$1" >&2; exit 1; }',
    'git update-index -q --ignore-submodules --refresh >/dev/null 2>&1',
    `git diff-files --quiet --ignore-submodules -- ${others} || refuse 'Working directory has unstaged changes'`,
    `git diff-index --quiet --cached --ignore-submodules HEAD -- || refuse 'Working directory has staged changes'`,
    `git read-tree -u -m HEAD "$1" || refuse 'Could not update working tree to new HEAD'`,
    '',
  ].join('\n');
}
