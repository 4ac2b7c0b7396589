import type { Answer, Forge, NewPullRequest } from '../../forges/forge.ts';
import type { PullRequest } from '../../schema/pull-request.ts';
import { crashpoint, type World } from '../../world.ts';
import { RetryBackoff, withRetries } from './forge-retries.ts';

export type OpenPullRequest = { forge: Forge; pullRequest: NewPullRequest; world: World };

/** Invisible in Markdown: the text between them is ours to update, the rest belongs to people. */
const BEGIN = '[//]: # (manyhands: begin)';
const END = '[//]: # (manyhands: end)';

/**
 * The one open pull request of a branch: found, or created. After every failure it is looked up again, so that a lost
 * answer, a crash or a retry never creates a second one.
 */
export async function openPullRequest(
  { forge, pullRequest, world }: OpenPullRequest,
  signal: AbortSignal,
): Promise<Answer<PullRequest>> {
  const find = () => withRetries(world, () => forge.find(pullRequest.head, signal), signal);
  const existing = await find();
  if (!existing.ok) return existing;
  if (existing.value !== undefined) return update({ forge, pullRequest, world }, existing.value, signal);
  const backoff = new RetryBackoff(world);
  for (;;) {
    crashpoint('pr.creating');
    const made = await forge.create({ ...pullRequest, body: marked(pullRequest.body) }, signal);
    crashpoint('pr.created');
    if (made.ok) return made;
    const after = await find();
    if (after.ok && after.value !== undefined) return { ok: true, value: after.value };
    if (!after.ok && made.failure.kind !== 'auth') return after;
    if (!(await backoff.wait(made.failure, signal))) return made;
  }
}

/** Updates our part of the text, and marks a draft as ready when it should be; the text of people is kept. */
async function update(
  { forge, pullRequest, world }: OpenPullRequest,
  existing: PullRequest,
  signal: AbortSignal,
): Promise<Answer<PullRequest>> {
  const now = await withRetries(world, () => forge.view(existing.number, signal), signal);
  if (!now.ok) return now;
  const body = replaceMarked(now.value.body, pullRequest.body) ?? now.value.body;
  if (body === now.value.body && (pullRequest.draft || !now.value.draft)) return { ok: true, value: existing };
  crashpoint('pr.updating');
  const { draft } = pullRequest;
  const updated = await withRetries(world, () => forge.update(existing.number, { body, draft }, signal), signal);
  crashpoint('pr.updated');
  return updated.ok ? { ok: true, value: existing } : updated;
}

function marked(body: string): string {
  return `${BEGIN}\n\n${body.replaceAll(BEGIN, '').replaceAll(END, '')}\n\n${END}\n`;
}

/** The text with our part replaced; undefined where a person removed our part. */
function replaceMarked(before: string, body: string): string | undefined {
  const from = before.indexOf(BEGIN);
  const to = before.indexOf(END, from);
  if (from < 0 || to < 0) return undefined;
  return `${before.slice(0, from)}${marked(body).trimEnd()}${before.slice(to + END.length)}`;
}
