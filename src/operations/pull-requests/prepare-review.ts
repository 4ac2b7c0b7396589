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
import type { ReviewInput } from '../../schema/review-input.ts';
import { answerOf, forgeOf } from './project-forge.ts';

/** A pull request that can be reviewed: `base` is the commit at which the review begins. */
export type PreparedReview = {
  input: Pick<ReviewInput, 'pull' | 'forge' | 'body' | 'onto' | 'conflicts'>;
  base: string;
  settings: Config['review'];
};

/** Fetches a pull request and its base branch into the mirror and merges them there: that is what is reviewed and checked. */
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
      `${name} comes from a fork that ${forge.name} gives no ref for; fetch it yourself`,
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

type FetchedRef = { mirror: Mirror; remote: Remote; from: string; to: string };

async function fetchCommit(what: FetchedRef, signal: AbortSignal): Promise<string> {
  const got = await fetchFromRemote({ ...what, signal });
  if (got.kind === 'got') return got.commit;
  const text = refusalText(got, { remote: what.remote, what: `${what.from} could not be fetched from` });
  throw new AppError('FORGE_FAILED', text, { reason: got.reason });
}
