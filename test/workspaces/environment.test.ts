import { expect, it } from 'vitest';
import { run } from '../../src/process/run.ts';
import { childEnvironment } from '../../src/workspaces/environment.ts';

const CANARY = 'canary-5d1f';

it('passes variables that programs need', () => {
  const needed = {
    ...{
      PATH: '/bin',
      HOME: '/h',
      USER: 'u',
      LOGNAME: 'u',
      SHELL: '/bin/sh',
      LANG: 'C',
      LC_ALL: 'C',
      TZ: 'UTC',
      TERM: 'dumb',
    },
    ...{ TMPDIR: '/t', XDG_CONFIG_HOME: '/x', HTTPS_PROXY: 'p', https_proxy: 'p', NO_PROXY: 'n', no_proxy: 'n' },
    ...{ SSL_CERT_FILE: '/c', SSL_CERT_DIR: '/d', NODE_EXTRA_CA_CERTS: '/e' },
  };
  expect(childEnvironment(needed)).toEqual(needed);
});

it.each([
  ...[
    'AWS_SECRET_ACCESS_KEY',
    'ANTHROPIC_API_KEY',
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'DATABASE_URL',
    'SSH_AUTH_SOCK',
    'NODE_OPTIONS',
  ],
  ...[
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'ENV',
    'CI',
    'MANYHANDS_HOME',
    'npm_config_script_shell',
    'PATHS',
    'MY_HOME',
  ],
  ...['GIT_DIR', 'GIT_SSH_COMMAND', 'GIT_CONFIG_GLOBAL', 'git_dir', '__proto__', 'lc_all', 'path'],
])('keeps %s to ourselves', (name) => {
  expect(Object.keys(childEnvironment({ [name]: CANARY }))).toEqual([]);
});

it("adds the caller's variables, except GIT_* variables", () => {
  expect(childEnvironment({ PATH: '/bin' }, { PATH: '/other', TOKEN: 'x', GIT_DIR: '/evil' })).toEqual({
    PATH: '/other',
    TOKEN: 'x',
  });
});

it('passes no secret to a child', async () => {
  const env = childEnvironment({ ...process.env, SECRET_CANARY: CANARY });
  const { stdout } = await run(['cat', '/proc/self/environ'], { env, timeoutMs: 10_000 });
  expect(stdout.length).toBeGreaterThan(0);
  expect(stdout.toString()).not.toContain(CANARY);
});
