import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import { git } from './git.ts';

/** The file with a detached signature, or the reason why there is none. */
export type Signed = { kind: 'signed'; file: string; with: string } | { kind: 'unsigned'; reason: string };

/** What a detached signature shows. */
export type SignatureCheck = { kind: 'good' | 'unknown-signer' | 'bad'; detail: string };

/** What ssh-keygen binds a signature to, so that one made for another purpose does not count. */
export const SIGNATURE_NAMESPACE = 'manyhands-audit';

const TIMEOUT_MS = 120_000;
const PASSED = ['PATH', 'HOME', 'TMPDIR', 'SSH_AUTH_SOCK', 'SSH_ASKPASS', 'DISPLAY', 'GNUPGHOME', 'GPG_TTY', 'LANG'];

/**
 * Signs a file with the person's git signing key: `gpg.format` and `user.signingKey` of their own configuration. That of a
 * repository is not read, because it could name a program.
 */
export async function signFile(file: string): Promise<Signed> {
  const key = await userSetting('user.signingKey');
  if (key === '') return { kind: 'unsigned', reason: 'your git configuration has no user.signingKey' };
  const format = (await userSetting('gpg.format')) || 'openpgp';
  if (format === 'ssh') return signWithSsh(file, key);
  if (format === 'openpgp') return signWithGpg(file, key);
  return { kind: 'unsigned', reason: `gpg.format ${format} is not supported; ssh and openpgp are` };
}

/** Checks the signature beside a file, if there is one: undefined without. */
export async function checkSignature(
  file: string,
  kinds: { ssh: boolean; gpg: boolean },
): Promise<SignatureCheck | undefined> {
  if (kinds.ssh) return checkSsh(file);
  return kinds.gpg ? checkGpg(file) : undefined;
}

async function signWithSsh(file: string, key: string): Promise<Signed> {
  const program = (await userSetting('gpg.ssh.program')) || 'ssh-keygen';
  const literal = /^(?:key::)?((?:ssh|ecdsa|sk)-\S+ .*)$/.exec(key)?.[1];
  const folder = await mkdtemp(join(tmpdir(), 'mh-sign-'));
  try {
    const keyFile = literal === undefined ? expanded(key) : join(folder, 'key.pub');
    if (literal !== undefined) await writeFile(keyFile, `${literal}\n`);
    await rm(`${file}.sig`, { force: true });
    const agent = literal === undefined ? [] : ['-U'];
    const failure = await failureOf([program, '-Y', 'sign', '-n', SIGNATURE_NAMESPACE, '-f', keyFile, ...agent, file]);
    if (failure !== undefined) return { kind: 'unsigned', reason: failure };
    return { kind: 'signed', file: `${file}.sig`, with: 'ssh' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function signWithGpg(file: string, key: string): Promise<Signed> {
  const program = (await userSetting('gpg.openpgp.program')) || (await userSetting('gpg.program')) || 'gpg';
  await rm(`${file}.asc`, { force: true });
  const failure = await failureOf([
    program,
    '--batch',
    '--armor',
    '--detach-sign',
    '--local-user',
    key,
    '--output',
    `${file}.asc`,
    file,
  ]);
  return failure === undefined
    ? { kind: 'signed', file: `${file}.asc`, with: 'openpgp' }
    : { kind: 'unsigned', reason: failure };
}

async function checkSsh(file: string): Promise<SignatureCheck> {
  const input = await readFile(file);
  const signature = `${file}.sig`;
  const signers = expanded(await userSetting('gpg.ssh.allowedSignersFile'));
  const namespace = ['-n', SIGNATURE_NAMESPACE, '-s', signature];
  const checked = await result(['ssh-keygen', '-Y', 'check-novalidate', ...namespace], input);
  if (checked.code !== 0) return { kind: 'bad', detail: `the signature does not match: ${checked.text}` };
  if (signers === '')
    return {
      kind: 'unknown-signer',
      detail: `${checked.text}; whose key it is was not checked: git has no gpg.ssh.allowedSignersFile`,
    };
  const found = await result(['ssh-keygen', '-Y', 'find-principals', '-s', signature, '-f', signers]);
  const [principal = ''] = found.text.split('\n');
  if (found.code !== 0 || principal === '')
    return { kind: 'unknown-signer', detail: `${checked.text}; ${signers} does not list this key` };
  const verified = await result(['ssh-keygen', '-Y', 'verify', '-f', signers, '-I', principal, ...namespace], input);
  return verified.code === 0 ? { kind: 'good', detail: verified.text } : { kind: 'bad', detail: verified.text };
}

async function checkGpg(file: string): Promise<SignatureCheck> {
  const checked = await result(['gpg', '--batch', '--verify', `${file}.asc`, file]);
  return checked.code === 0 ? { kind: 'good', detail: checked.text } : { kind: 'bad', detail: checked.text };
}

/** A setting of the person; empty where there is none. */
async function userSetting(key: string): Promise<string> {
  const options = { asUser: true, allow: [0, 1, 5, 128], cwd: '/' };
  return (await git(['config', '--global', '--includes', '--get', key], options)).stdout.trim();
}

async function failureOf(command: readonly string[]): Promise<string | undefined> {
  const { code, text } = await result(command);
  return code === 0 ? undefined : `${command[0]}: ${text || `exit code ${code}`}`;
}

async function result(command: readonly string[], input?: Buffer): Promise<{ code: number | null; text: string }> {
  const env = Object.fromEntries(
    PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']])),
  );
  try {
    const ended = await run(command, { env, timeoutMs: TIMEOUT_MS, ...(input === undefined ? {} : { input }) });
    return { code: ended.code, text: `${ended.stdout.toString('utf8')}${ended.stderr}`.trim() };
  } catch (error) {
    return { code: null, text: messageOf(error) };
  }
}

function expanded(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
