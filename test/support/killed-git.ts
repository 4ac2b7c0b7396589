import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Puts a git in front of PATH that kills itself in matching calls (a shell pattern) as often as the number in `file`
 * says; an agent writes that number when it ends, so that its work is finished by then.
 */
export function killGit(file: string, pattern: string): Disposable & { left(): number } {
  const folder = mkdtempSync(join(tmpdir(), 'mh-git-'));
  const { PATH = '' } = process.env;
  const script = [
    '#!/bin/sh',
    `if [ -s '${file}' ]; then`,
    `  left=$(cat '${file}')`,
    `  case " $* " in ${pattern}) if [ "$left" -gt 0 ]; then echo $((left - 1)) >'${file}'; kill -9 $$; fi ;; esac`,
    'fi',
    `PATH='${PATH}' exec git "$@"`,
  ].join('\n');
  writeFileSync(join(folder, 'git'), `${script}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  process.env.PATH = `${folder}:${PATH}`;
  return {
    left: () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN),
    [Symbol.dispose]() {
      process.env.PATH = PATH;
      rmSync(folder, { recursive: true });
    },
  };
}
