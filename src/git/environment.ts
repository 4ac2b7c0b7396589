import { delimiter, isAbsolute, join } from 'node:path';
import { shellWord } from '../process/shim.ts';
import { isExecutableFile } from '../process/spawner/executable-file.ts';

/** Settings that override a repository's own configuration. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['index.version', '2'],
  // Objects that one command writes are flushed together; a reference is flushed by itself. What is flushed says the mirror.
  ['core.fsyncMethod', 'batch'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['credential.helper', ''],
  ['core.askPass', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['protocol.allow', 'never'],
  ['protocol.file.allow', 'always'],
];

const FIXED: Record<string, string> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'file',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_AUTHOR_NAME: 'Manyhands',
  GIT_AUTHOR_EMAIL: 'manyhands@localhost',
  GIT_COMMITTER_NAME: 'Manyhands',
  GIT_COMMITTER_EMAIL: 'manyhands@localhost',
  LC_ALL: 'C',
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

const NEUTRAL: Record<string, string> = {
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** The environment of git, by allow-list; the user's own settings only for operations on their repository. */
export function gitEnvironment(asUser: boolean): Record<string, string> {
  const passed = asUser ? ['PATH', 'TMPDIR', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL'] : ['PATH', 'TMPDIR'];
  return { ...(asUser ? {} : NEUTRAL), ...inherited(passed), ...FIXED };
}

/** The environment that adds settings to those of every call to git. */
export function gitSettings(extra: readonly (readonly [string, string])[]): Record<string, string> {
  const entries = extra.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${SETTINGS.length + index}`, key],
    [`GIT_CONFIG_VALUE_${SETTINGS.length + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(SETTINGS.length + extra.length), ...Object.fromEntries(entries) };
}

/** The same settings as a command line, for the remote end of a local transport, which gets none from the environment. */
export function otherEnd(program: 'upload-pack' | 'receive-pack', extra: readonly string[] = []): string {
  const settings = ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false', 'safe.directory=*', ...extra];
  return ['git', ...settings.flatMap((setting) => ['-c', shellWord(setting)]), program].join(' ');
}

let located: { path: string; program: string } | undefined;

/** The path of git: searching a long PATH at each start would cost more system calls than the start. */
export function gitProgram(): string {
  const path = process.env.PATH ?? '';
  if (located?.path === path && isExecutableFile(located.program)) return located.program;
  const folders = path.split(delimiter).filter(isAbsolute);
  const program = folders.map((folder) => join(folder, 'git')).find(isExecutableFile) ?? 'git';
  located = { path, program };
  return program;
}

function inherited(names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = process.env[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}
