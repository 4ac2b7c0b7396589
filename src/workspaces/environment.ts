/** Variables that programs need to work; no others are passed. */
const ALLOWED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|XDG_[A-Z_]+|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS)$|^(https?_proxy|no_proxy|all_proxy)$/;
const PROXIES = /^(HTTPS?_PROXY|NO_PROXY|ALL_PROXY)$/;

/** The whole environment of a child: allowed variables plus those of the caller; GIT_* variables are never passed. */
export function childEnvironment(from: NodeJS.ProcessEnv, extra: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (ALLOWED.test(name) || PROXIES.test(name))) env[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (!/^GIT_/i.test(name)) env[name] = value;
  }
  return env;
}
