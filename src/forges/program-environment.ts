const PASSED =
  /^(PATH|HOME|USER|LOGNAME|LANG|TMPDIR|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS|SSL_CERT_FILE|SSL_CERT_DIR|(?:https?|no|all)_proxy)$/i;

/** No prompts, and output for a program. */
const QUIET = {
  NO_COLOR: '1',
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_SPINNER_DISABLED: '1',
  GLAB_CHECK_UPDATE: 'false',
};

/** The environment of a forge's program: access to the user's login, and the variables of this forge only. */
export function programEnvironment(env: NodeJS.ProcessEnv, own: RegExp): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (PASSED.test(name) || own.test(name))) passed[name] = value;
  }
  return { ...passed, ...QUIET };
}
