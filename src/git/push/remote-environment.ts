/** Settings of every remote operation: no hook runs, nothing is signed, no submodule is followed. */
const SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['push.gpgSign', 'false'],
  ['push.followTags', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.ext.allow', 'never'],
];

/** The user's variables for credentials, keys and proxies. */
const PASSED =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH|GIT_SSH_COMMAND|GIT_SSH_VARIANT|GIT_ASKPASS|GIT_SSL_CAINFO|GIT_SSL_CAPATH|SSL_CERT_FILE|SSL_CERT_DIR|USER|LOGNAME|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|GH_TOKEN|GH_HOST|GH_CONFIG_DIR|GH_ENTERPRISE_TOKEN|GITHUB_TOKEN|GITHUB_ENTERPRISE_TOKEN|GITLAB_TOKEN|GITLAB_HOST|GLAB_CONFIG_DIR|(?:https?|no|all)_proxy)$/i;

export type Setting = readonly [key: string, value: string];

/**
 * The environment of git for the user's remote: their own credentials, without interactive prompts. The caller passes
 * the connection settings of their repository, because git runs in the mirror.
 */
export function remoteEnvironment(connection: readonly Setting[]): Record<string, string> {
  const settings = [...connection, ...SETTINGS];
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && PASSED.test(name)) env[name] = value;
  }
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return {
    ...env,
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_NOSYSTEM: '0',
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_TERMINAL_PROMPT: '0',
  };
}
