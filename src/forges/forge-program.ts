import { tmpdir } from 'node:os';
import { errorCode, messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import { realWorld, type World } from '../world.ts';
import type { ForgeFailure, ForgeLogin } from './forge.ts';
import { type Rest, type RestReply, type RestRequest, unavailable, unreadable } from './rest.ts';

const LOGIN_TIMEOUT_MS = 20_000;

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

/** A forge's own program, which has the login and forwards requests. */
export type ForgeProgram = {
  forge: string;
  command: string;
  host: string;
  env: Record<string, string>;
  install: string;
  logIn: string;
  timeoutMs?: number;
};

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** The exit code of these programs without a login. */
const NOT_LOGGED_IN = 4;

/** Accesses a forge through `<program> api`, which prints status, headers and body. */
export function programRest(program: ForgeProgram, world: World = realWorld): Rest {
  return async (request, signal) => {
    try {
      const { timeoutMs = TIMEOUT_MS } = program;
      const options = { cwd: tmpdir(), env: program.env, timeoutMs, maxOutputBytes: MAX_BYTES, signal };
      const input = request.body === undefined ? {} : { input: JSON.stringify(request.body) };
      const { code, stdout, stderr, timedOut } = await run(
        commandFor(program, request),
        { ...options, ...input },
        world,
      );
      const reply = parseReply(stdout.toString('utf8'));
      if (reply !== undefined && !timedOut) return { ok: true, value: reply };
      return { ok: false, failure: failureOf(program, { code, stderr, timedOut }) };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EACCES') throw error;
      const message = `${program.command} is not installed: ${messageOf(error)}`;
      return { ok: false, failure: { kind: 'auth', message, nextStep: program.install } };
    }
  };
}

function commandFor({ command, host }: ForgeProgram, { method, path, body }: RestRequest): string[] {
  const input = body === undefined ? [] : ['--input', '-', '--header', 'Content-Type: application/json'];
  return [command, 'api', '--include', '--hostname', host, '--method', method, ...input, path];
}

function parseReply(text: string): RestReply | undefined {
  const [, status, rest] = /^HTTP\/[\d.]+ (\d{3})[^\n]*\n([\s\S]*)$/.exec(text) ?? [];
  if (status === undefined || rest === undefined) return undefined;
  const end = /\r?\n\r?\n|^\r?\n/.exec(rest);
  const head = end === null ? rest : rest.slice(0, end.index);
  const body = end === null ? '' : rest.slice(end.index + end[0].length);
  const headers: Record<string, string> = {};
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(status), headers, body };
}

function failureOf(
  { forge, command, logIn }: ForgeProgram,
  { code, stderr, timedOut }: { code: number | null; stderr: string; timedOut: boolean },
): ForgeFailure {
  const text = stderr.replace(/\s+/g, ' ').trim().slice(0, 400);
  if (timedOut) return unavailable(forge, `${command} did not end in time`);
  if (code === NOT_LOGGED_IN || /auth login|not logged in|authenticat/i.test(text))
    return { kind: 'auth', message: `${command} is not logged in to ${forge}: ${text}`, nextStep: logIn };
  if (code === 0) return unreadable(forge, `${command} printed no answer`);
  return unavailable(forge, text || `${command} ended with ${code ?? 'a signal'}`);
}

/** The environment of a forge's program: access to the user's login, and the variables of this forge only. */
export function programEnvironment(env: NodeJS.ProcessEnv, own: RegExp): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (PASSED.test(name) || own.test(name))) passed[name] = value;
  }
  return { ...passed, ...QUIET };
}

/** Whether a forge's program is installed and logged in, as the program itself reports. */
export async function programLogin(program: ForgeProgram, signal: AbortSignal): Promise<ForgeLogin> {
  const { command, host, env, install, logIn } = program;
  try {
    const statusCommand = [command, 'auth', 'status', '--hostname', host];
    const { code, stdout, stderr } = await run(statusCommand, {
      cwd: tmpdir(),
      env,
      timeoutMs: LOGIN_TIMEOUT_MS,
      signal,
    });
    const output = `${stdout.toString('utf8')}\n${stderr}`;
    if (code !== 0) return { ok: false, detail: `${command} is not logged in to ${host}`, nextStep: logIn };
    const [, who] = /(?:account|as) ([\w.-]+)/.exec(output) ?? [];
    return { ok: true, detail: `${command} is logged in to ${host}${who === undefined ? '' : ` as ${who}`}` };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EACCES') throw error;
    return { ok: false, detail: `${command} cannot be started: ${messageOf(error)}`, nextStep: install };
  }
}
