import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, fromSystemError, messageOf, unreadableText } from '../../errors.ts';
import { checkSignature, SIGNATURE_NAMESPACE, type SignatureCheck } from '../../git/sign.ts';
import { RunRecord } from '../../schema/keeping.ts';
import { type ChainLink, chainLinks } from '../../store/chain.ts';

/** The files of a bundle by name; `SHA256SUMS` covers the others, and its signature covers it. */
export type BundleFiles = Readonly<Record<'audit.json' | 'events.jsonl' | 'report.md', string>>;

/** What reading a bundle shows: its events as a chain, the head that it states, and whether its files are as they were written. */
export type BundleCheck = {
  stream: string;
  links: ChainLink[];
  head: string;
  changed: string[];
  signature: SignatureCheck | undefined;
};

const SUMS = 'SHA256SUMS';
const NAMES = ['audit.json', 'events.jsonl', 'report.md', 'README.txt'] as const;

/** Writes the files of a bundle into a new folder, with their sums; returns the file to sign. */
export async function writeBundle(folder: string, files: BundleFiles): Promise<string> {
  try {
    await mkdir(folder, { mode: 0o700 });
    const all: Record<string, string> = { ...files, 'README.txt': README };
    for (const name of NAMES) await writeFile(join(folder, name), all[name] ?? '', { mode: 0o600 });
    const sums = NAMES.map((name) => `${sha256(all[name] ?? '')}  ${name}\n`).join('');
    await writeFile(join(folder, SUMS), sums, { mode: 0o600 });
    return join(folder, SUMS);
  } catch (error) {
    const known = fromSystemError(error, `writing the audit bundle ${folder}`);
    if (known instanceof AppError) throw known;
    throw new AppError('INPUT_INVALID', `The audit bundle cannot be written to ${folder}: ${messageOf(error)}`, {
      folder,
    });
  }
}

/** Reads a bundle and compares its files with their sums and its events with their hashes. */
export async function readBundle(folder: string): Promise<BundleCheck> {
  const read = async (name: string) => readFile(join(folder, name), 'utf8');
  try {
    const sums = await read(SUMS);
    const changed: string[] = [];
    for (const name of NAMES) if (!sums.includes(`${sha256(await read(name))}  ${name}\n`)) changed.push(name);
    const audit: unknown = JSON.parse(await read('audit.json'));
    const run = textField(audit, 'run');
    const lines = (await read('events.jsonl')).split('\n').filter((line) => line !== '');
    const events = RunRecord.shape.events.parse(lines.map((line): unknown => JSON.parse(line)));
    const stream = `run/${run}`;
    const links = chainLinks(
      events.map(({ version, at, type, data, origin, hash = '' }) => ({
        stream,
        version,
        at,
        type,
        json: JSON.stringify(data) ?? 'null',
        origin: origin === undefined ? null : JSON.stringify(origin),
        hash,
      })),
    );
    const kinds = { ssh: await exists(join(folder, `${SUMS}.sig`)), gpg: await exists(join(folder, `${SUMS}.asc`)) };
    const signature = await checkSignature(join(folder, SUMS), kinds);
    return { stream, links, head: textField(audit, 'head'), changed, signature };
  } catch (error) {
    throw new AppError('INPUT_INVALID', `The audit bundle ${folder} ${unreadableText(error)}`, { folder });
  }
}

const README = `An audit bundle of Manyhands.

audit.json    who requested the run, who decided what, what ran with which permissions, what changed
events.jsonl  every event of the run; "hash" covers the event and all before it
report.md     the report of the run
SHA256SUMS    the sums of these files; SHA256SUMS.sig (ssh) or .asc (openpgp) is its signature, if there is one

Verify the files:      sha256sum -c SHA256SUMS
Verify the signature:  ssh-keygen -Y verify -f <allowed signers> -I <signer> -n ${SIGNATURE_NAMESPACE} -s SHA256SUMS.sig < SHA256SUMS
                       gpg --verify SHA256SUMS.asc SHA256SUMS
Verify everything:     manyhands audit verify --bundle <this folder>
`;

function textField(value: unknown, name: string): string {
  const field = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  if (typeof field !== 'string') throw new Error(`audit.json has no ${name}`);
  return field;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
