import type { PreparedReview } from '../../app/port-interfaces.ts';
import { refusalText } from '../../engine/pull-requests/land-as-pull-request.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { mergeCommits } from '../../git/merge/merge.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { fetchFromRemote } from '../../git/push/fetch-remote.ts';
import type { Remote } from '../../git/push/remote.ts';
import { inspectRepository, projectId } from '../../git/read/repository.ts';
import type { PullRequest } from '../../schema/pull-request.ts';
import type { AtForge, ForgeContext } from './forge-request.ts';

export type PrepareReview = ForgeContext & AtForge & { pull: PullRequest & { body: string } };

/** Brings a pull request and its base branch into the mirror and merges them there: that is what is reviewed and checked. */
export async function prepareReview(review: PrepareReview, signal: AbortSignal): Promise<PreparedReview> {
  const { forge, remote, pull, config, home, root, world } = review;
  const name = `${forge.terms.mark}${pull.number}`;
  if (pull.state !== 'open') throw new AppError('REFUSED', `${name} is ${pull.state}: ${pull.url}`, { url: pull.url });
  const from = forge.headRef(pull);
  if (from === undefined)
    throw new AppError(
      'INPUT_INVALID',
      `${name} comes from a fork that ${forge.name} gives no ref for; fetch it yourself`,
    );
  const repository = await inspectRepository(root, signal);
  const { mirror } = await openProject({ home }, { id: projectId(repository), root });
  const place = `refs/manyhands/pulls/${pull.number}`;
  const head = await bring({ mirror, remote, from, to: `${place}/head` }, signal);
  const onto = await bring({ mirror, remote, from: `refs/heads/${pull.base}`, to: `${place}/base` }, signal);
  const message = `Merge ${pull.base} into ${pull.head.branch}\n`;
  const merged = await mergeCommits({ mirror, onto: head, theirs: onto, message, now: world.now(), signal });
  const { body, ...known } = pull;
  const input = { pull: { ...known, head: { ...pull.head, commit: head } }, forge: forge.name, body };
  const settings = config.review;
  if (merged.kind === 'merged') return { input: { ...input, onto, conflicts: false }, base: merged.commit, settings };
  const common = await git(['merge-base', head, onto], { gitDir: mirror.dir, allow: [0, 1], signal });
  const since = common.stdout.trim() || onto;
  return { input: { ...input, onto: since, conflicts: true }, base: head, settings };
}

type Bring = { mirror: Mirror; remote: Remote; from: string; to: string };

async function bring(what: Bring, signal: AbortSignal): Promise<string> {
  const got = await fetchFromRemote({ ...what, signal });
  if (got.kind === 'got') return got.commit;
  const text = refusalText(got, { remote: what.remote, what: `${what.from} could not be fetched from` });
  throw new AppError('FORGE_FAILED', text, { reason: got.reason });
}
