import { z } from 'zod';
import type { App } from '../../app.ts';
import { refusalText } from '../../engine/pull-requests/land-as-pull-request.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { mergeCommits } from '../../git/merge/merge.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { fetchFromRemote } from '../../git/push/fetch-remote.ts';
import type { Remote } from '../../git/push/remote.ts';
import { inspectRepository, projectId } from '../../git/read/repository.ts';
import type { Config } from '../../schema/config.ts';
import type { ReviewInput } from '../../schema/pull-request.ts';
import { StartOptions } from '../../schema/request.ts';
import { requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { answerOf, forgeOf } from './project-forge.ts';

/** A pull request that can be reviewed: `base` is the commit at which the review begins. */
type PreparedReview = {
  input: Pick<ReviewInput, 'pull' | 'forge' | 'body' | 'onto' | 'conflicts'>;
  base: string;
  settings: Config['review'];
};

type FetchedRef = { mirror: Mirror; remote: Remote; from: string; to: string };

const FORK =
  'It comes from a fork: the checks run code of an author without write access to the repository on this machine.';

/** Starts the review of a pull request, from its merge with its current base. */
export const reviewPullRequest = operation({
  name: 'review-pull-request',
  where: 'engine',
  summary: 'Review a pull request: read, check and fix it, then approve or merge it as far as the settings allow',
  http: 'POST /api/pull-requests/{number}/review',
  allow: ['operator'],
  input: z.object({
    number: z.number().int().positive(),
    automerge: z.boolean().optional(),
    push: z.boolean().optional(),
    yes: z.boolean().default(false),
    options: StartOptions,
  }),
  output: z.object({ run: z.string(), notes: z.array(z.string()) }),
  run: async (app, { number, automerge, push, yes, options }, { signal, origin }) => {
    const control = requireControl(app);
    const { input, base, settings } = await prepareReview(app, { dir: options.dir, number }, signal);
    const started = await control.start(
      {
        recipe: 'review',
        input: { ...input, automerge: automerge ?? settings.automerge, push: push ?? settings.push, yes },
        options: { ...options, base, land: 'pr' },
      },
      origin,
    );
    return input.pull.fork ? { ...started, notes: [FORK, ...started.notes] } : started;
  },
});

/** Fetches a pull request and its base branch into the mirror and merges them there; the merge is reviewed and checked. */
export async function prepareReview(
  app: App,
  { dir, number }: { dir: string; number: number },
  signal: AbortSignal,
): Promise<PreparedReview> {
  const { forge, remote, config, root } = await forgeOf(app, dir, signal);
  const pull = await answerOf(app, forge, { ask: () => forge.view(number, signal), signal });
  const name = `${forge.terms.mark}${pull.number}`;
  if (pull.state !== 'open') throw new AppError('REFUSED', `${name} is ${pull.state}: ${pull.url}`, { url: pull.url });
  const from = forge.headRef(pull);
  if (from === undefined)
    throw new AppError(
      'INPUT_INVALID',
      `${name} comes from a fork, and ${forge.name} provides no ref for it; fetch it yourself`,
    );
  const repository = await inspectRepository(root, signal);
  const { mirror } = await openProject(app, { id: projectId(repository), root });
  const ref = `refs/manyhands/pulls/${pull.number}`;
  const head = await fetchCommit({ mirror, remote, from, to: `${ref}/head` }, signal);
  const onto = await fetchCommit({ mirror, remote, from: `refs/heads/${pull.base}`, to: `${ref}/base` }, signal);
  const message = `Merge ${pull.base} into ${pull.head.branch}\n`;
  const merged = await mergeCommits({ mirror, onto: head, theirs: onto, message, now: app.world.now(), signal });
  const { body, ...known } = pull;
  const input = { pull: { ...known, head: { ...pull.head, commit: head } }, forge: forge.name, body };
  const settings = config.review;
  if (merged.kind === 'merged') return { input: { ...input, onto, conflicts: false }, base: merged.commit, settings };
  const common = await git(['merge-base', head, onto], { gitDir: mirror.dir, allow: [0, 1], signal });
  const since = common.stdout.trim() || onto;
  return { input: { ...input, onto: since, conflicts: true }, base: head, settings };
}

async function fetchCommit(what: FetchedRef, signal: AbortSignal): Promise<string> {
  const got = await fetchFromRemote({ ...what, signal });
  if (got.kind === 'got') return got.commit;
  const text = refusalText(got, { remote: what.remote, what: `${what.from} could not be fetched from` });
  throw new AppError('FORGE_FAILED', text, { reason: got.reason });
}
