import { z } from 'zod';
import type { App } from '../../app.ts';
import { AUDIT_TRAILER } from '../../core/land/commit-message.ts';
import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { runStream } from '../../schema/ids.ts';
import { type ChainLink, checkHead, findChainBreak, headText, type KeptHead, parseHead } from '../../store/chain.ts';
import { completeId, projectOf, RunRef, requireDir } from '../find-run.ts';
import { operation } from '../operation.ts';
import { type BundleCheck, readBundle } from './audit-bundle.ts';

/** What `audit verify` prints with --json. */
export const AuditCheck = z.object({
  intact: z.boolean().describe('Whether no event of these streams contradicts its chain, and the given head holds.'),
  streams: z.array(
    z.object({
      stream: z.string(),
      events: z.number().int(),
      head: z.string().nullable().describe('Its current head in written form; keep it to verify against it later.'),
      broken: z.string().nullable().describe('The first contradiction; null if there is none.'),
    }),
  ),
  against: z
    .object({
      head: z.string(),
      source: z.string().describe('Where the head comes from: head, commit or bundle.'),
      holds: z.boolean(),
      detail: z.string(),
    })
    .nullable()
    .describe('The comparison with a head that was kept elsewhere; null if none was given.'),
  signature: z.string().nullable().describe('Of a bundle: what its signature shows.'),
  notProven: z.array(z.string()).describe('What this check cannot prove.'),
});
export type AuditCheck = z.infer<typeof AuditCheck>;

/** The texts that a run names by their hashes. */
const Started = z.object({ roles: z.record(z.string(), z.string()) });

/** A chain head that was kept elsewhere, as it is written there, and where. */
type OutsideHead = { head: KeptHead; text: string; source: 'head' | 'commit' | 'bundle' };
type CheckedStream = AuditCheck['streams'][number] & { links: ChainLink[] };

/** Compares the recorded events with their hash chains, and with a head that was kept elsewhere. */
export const verifyAudit = operation({
  name: 'verify-audit',
  where: 'anywhere',
  summary: 'Verify that recorded events were not altered, dropped or reordered',
  http: 'GET /api/audit',
  allow: ['viewer', 'operator'],
  input: z.object({
    ...RunRef,
    head: z.string().optional().describe('A head that was kept: <run>@<event>:<hash>, or only the hash.'),
    commit: z.string().optional().describe('A commit with a Manyhands-Audit trailer.'),
    bundle: z.string().optional().describe('The folder of an audit bundle on this machine.'),
  }),
  output: AuditCheck,
  run: async (app, { head, commit, bundle: folder, ...ref }) => {
    const bundle = folder === undefined ? undefined : await readBundle(folder);
    const kept = await keptHead({ app, ref, head, commit, bundle });
    const run = ref.run === undefined ? undefined : completeId(app, ref.run);
    const selected = run === undefined ? kept?.head.stream : runStream(run);
    const names = selected === undefined ? app.store.streams('').map(({ stream }) => stream) : [selected];
    const damaged = app.store.damagedBlobs();
    const checked = names.map((stream) => checkStream(app, stream, damaged));
    const against = kept === undefined ? null : compare(checked, kept);
    const changed = bundle === undefined ? [] : bundleProblems(bundle);
    return {
      intact: checked.every(({ broken }) => broken === null) && (against?.holds ?? true) && changed.length === 0,
      streams: [
        ...checked.map(({ links: _, ...shown }) => shown),
        ...changed.map((broken) => ({ stream: 'the bundle', events: bundle?.links.length ?? 0, head: null, broken })),
      ],
      against,
      signature: bundle === undefined ? null : (bundle.signature?.detail ?? 'the bundle is not signed'),
      notProven: notProven(against),
    };
  },
});

function checkStream({ store }: App, stream: string, damaged: readonly string[]): CheckedStream {
  const head = store.head(stream);
  const links = store.chain(stream);
  const broken = findChainBreak(links, head)?.message ?? textProblem(store, stream, damaged) ?? null;
  return { stream, events: links.length, head: head === undefined ? null : headText(head), broken, links };
}

/** What is wrong with the texts that a stream names by their hashes: the instructions of its roles, lists of tests. */
function textProblem(store: App['store'], stream: string, damaged: readonly string[]): string | undefined {
  const events = store.read(stream);
  const altered = damaged.length === 0 ? undefined : damaged.find((hash) => JSON.stringify(events).includes(hash));
  if (altered !== undefined) return `the text ${altered} that it names was altered`;
  const started = Started.safeParse(events.find(({ type }) => type === 'run.started')?.data).data;
  const missing = Object.entries(started?.roles ?? {}).find(([, hash]) => store.getBlob(hash) === undefined);
  return missing === undefined ? undefined : `the text of role ${missing[0]} is missing`;
}

/** A head without the name of its run is searched in all streams. */
function compare(
  checked: readonly CheckedStream[],
  { head, text, source }: OutsideHead,
): NonNullable<AuditCheck['against']> {
  const found =
    head.stream === undefined
      ? (checked.find(({ links }) => links.some(({ stored }) => stored === head.hash)) ?? { stream: '', links: [] })
      : checked.find(({ stream }) => stream === head.stream);
  const links = found?.links ?? [];
  const base = { head: text, source };
  if (head.stream !== undefined && links.length === 0)
    return { ...base, holds: false, detail: `there are no events of ${head.stream}: it was deleted or archived` };
  const check = checkHead(links, head);
  if (!check.holds) return { ...base, holds: false, detail: check.message };
  const detail = `the ${check.upTo} events of ${found?.stream} up to it are unaltered, complete and in order`;
  return { ...base, holds: true, detail };
}

type KeptSources = {
  app: App;
  ref: { dir?: string | undefined };
  head: string | undefined;
  commit: string | undefined;
  bundle: BundleCheck | undefined;
};

async function keptHead({ app, ref, head, commit, bundle }: KeptSources): Promise<OutsideHead | undefined> {
  if (head !== undefined) return { head: requireHead(head), text: head, source: 'head' };
  if (bundle !== undefined) return { head: requireHead(bundle.head), text: bundle.head, source: 'bundle' };
  if (commit === undefined) return undefined;
  const { root } = await projectOf(app, requireDir(ref));
  const text = await trailerOf(root, commit);
  return { head: requireHead(text), text, source: 'commit' };
}

async function trailerOf(root: string, commit: string): Promise<string> {
  const format = `%(trailers:key=${AUDIT_TRAILER},valueonly,unfold)`;
  const args = ['log', '-1', '--no-show-signature', `--format=${format}`, '--end-of-options', commit, '--'];
  const { code, stdout } = await git(args, { cwd: root, asUser: true, allow: [0, 128] });
  if (code !== 0) throw new AppError('INPUT_INVALID', `There is no commit ${commit} in ${root}`, { commit });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (last !== '') return last;
  throw new AppError('INPUT_INVALID', `Commit ${commit} has no ${AUDIT_TRAILER} trailer`, { commit });
}

function requireHead(text: string): KeptHead {
  const head = parseHead(text);
  if (head !== undefined) return head;
  throw new AppError('INPUT_INVALID', `${text} is not a chain head: <run>@<event>:<hash of 64 hexadecimal digits>`);
}

/** What is wrong with a bundle in itself, whatever the database contains. */
function bundleProblems({ changed, links, head, signature }: BundleCheck): string[] {
  const kept = parseHead(head);
  const broken = kept === undefined ? undefined : checkHead(links, kept);
  return [
    ...changed.map((name) => `${name} was changed after the bundle was written`),
    ...(broken?.holds === false ? [`its events: ${broken.message}`] : []),
    ...(signature?.kind === 'bad' ? [`its signature: ${signature.detail}`] : []),
  ];
}

function notProven(against: AuditCheck['against']): string[] {
  return [
    ...(against === null
      ? [
          'that the whole database was not replaced, or its chains computed again: compare with a head that was kept elsewhere (--head, --commit, --bundle)',
          'that no whole stream was removed',
        ]
      : ['events after the given head: only that their own chain is consistent']),
    'that lists and pages show what the events say: they read copies of them (snapshots), which are no part of the chains',
    'that an event was true when it was recorded, or who used the account or token under whose name it is',
    'anything from before the database had hash chains, and the output of agents, which is not part of them',
  ];
}
