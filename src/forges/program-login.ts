import { tmpdir } from 'node:os';
import { errorCode, messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import type { ForgeLogin } from './forge.ts';
import type { ForgeProgram } from './program-rest.ts';

const TIMEOUT_MS = 20_000;

/** Whether a forge's program is installed and logged in, as the program itself reports. */
export async function programLogin(program: ForgeProgram, signal: AbortSignal): Promise<ForgeLogin> {
  const { command, host, env, install, logIn } = program;
  try {
    const statusCommand = [command, 'auth', 'status', '--hostname', host];
    const { code, stdout, stderr } = await run(statusCommand, { cwd: tmpdir(), env, timeoutMs: TIMEOUT_MS, signal });
    const output = `${stdout.toString('utf8')}\n${stderr}`;
    if (code !== 0) return { ok: false, detail: `${command} is not logged in to ${host}`, nextStep: logIn };
    const [, who] = /(?:account|as) ([\w.-]+)/.exec(output) ?? [];
    return { ok: true, detail: `${command} is logged in to ${host}${who === undefined ? '' : ` as ${who}`}` };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EACCES') throw error;
    return { ok: false, detail: `${command} cannot be started: ${messageOf(error)}`, nextStep: install };
  }
}
