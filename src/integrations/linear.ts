import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { timeLimit } from '../process/time-limit.ts';
import { realWorld, type World } from '../world.ts';

/** An issue of Linear, as far as an agent needs it. */
export const LinearIssue = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  state: z.string(),
  priority: z.string(),
  assignee: z.string().optional(),
  labels: z.array(z.string()),
  description: z.string(),
  comments: z.array(z.object({ author: z.string(), text: z.string() })),
});
export type LinearIssue = z.infer<typeof LinearIssue>;

export type LinearRequest = { issue: string } | { search: string; limit: number };
export type LinearAnswer = { ok: true; issues: LinearIssue[] } | { ok: false; reason: string };
type LinearLogin = { key: string; url: string };

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT_CHARS = 8_000;
const COMMENTS = 20;

const FIELDS = `identifier title url priorityLabel description state { name } assignee { name } labels(first: 20) { nodes { name } }`;
/** The text of a query is ours: an agent passes variables only, so that it can change nothing. */
const ONE = `query($id: String!) { issue(id: $id) { ${FIELDS} comments(first: ${COMMENTS}) { nodes { body user { name } } } } }`;
const SEARCH = `query($term: String!, $first: Int!) { searchIssues(term: $term, first: $first) { nodes { ${FIELDS} } } }`;

const Named = z.object({ name: z.string() }).nullish();
const Issue = z
  .object({
    identifier: z.string(),
    title: z.string(),
    url: z.string(),
    priorityLabel: z.string().nullish(),
    description: z.string().nullish(),
    state: Named,
    assignee: Named,
    labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullish(),
    comments: z.object({ nodes: z.array(z.object({ body: z.string(), user: Named })) }).nullish(),
  })
  .transform(
    ({ identifier, title, url, priorityLabel, description, state, assignee, labels, comments }): LinearIssue => ({
      id: identifier,
      title,
      url,
      state: state?.name ?? '',
      priority: priorityLabel ?? '',
      ...(assignee ? { assignee: assignee.name } : {}),
      labels: (labels?.nodes ?? []).map(({ name }) => name),
      description: cut(description ?? ''),
      comments: (comments?.nodes ?? []).map(({ body, user }) => ({ author: user?.name ?? '', text: cut(body) })),
    }),
  );
const Reply = z.object({
  data: z.object({ issue: Issue.nullish(), searchIssues: z.object({ nodes: z.array(Issue) }).nullish() }).nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

/** Reads issues of Linear: one by its identifier, or those that match a text. */
export async function queryLinear(
  { key, url }: LinearLogin,
  request: LinearRequest,
  signal: AbortSignal,
  world: World = realWorld,
): Promise<LinearAnswer> {
  if (!isSafe(url))
    return { ok: false, reason: `${new URL(url).origin} is not an https address; a key is not sent there` };
  const body =
    'issue' in request
      ? { query: ONE, variables: { id: request.issue } }
      : { query: SEARCH, variables: { term: request.search, first: request.limit } };
  using limit = timeLimit(TIMEOUT_MS, world);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: key, 'Content-Type': 'application/json' },
      // A login is not sent to another address.
      redirect: 'error',
      signal: AbortSignal.any([signal, limit.signal]),
      body: JSON.stringify(body),
    });
    const text = await bounded(response);
    const reply = Reply.safeParse(parseJson(text));
    const [error] = reply.data?.errors ?? [];
    if (error !== undefined) return { ok: false, reason: `Linear answered: ${error.message.slice(0, 400)}` };
    if (!response.ok) return { ok: false, reason: `Linear answered ${response.status}` };
    if (!reply.success) return { ok: false, reason: 'Linear sent an unexpected response' };
    const { issue, searchIssues } = reply.data.data ?? {};
    return { ok: true, issues: issue ? [issue] : (searchIssues?.nodes ?? []) };
  } catch (error) {
    signal.throwIfAborted();
    return {
      ok: false,
      reason: limit.signal.aborted ? 'Linear did not answer in time' : `Linear: ${messageOf(error)}`,
    };
  }
}

function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function cut(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema reports what is not JSON.
    return undefined;
  }
}
