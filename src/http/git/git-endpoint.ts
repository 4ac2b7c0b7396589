import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { gitEnvironment, gitSettings } from '../../git/environment.ts';
import { objectRef, openBareMirror } from '../../git/push/transfer.ts';
import { clientId, clientRef } from '../../git/refs/client-refs.ts';
import { Slots } from '../../git/slots.ts';
import type { AccessRole } from '../../operations/authorize.ts';
import { stream } from '../../process/stream.ts';
import type { OrderAccess } from '../../store/credentials/order-token.ts';
import type { World } from '../../world.ts';
import type { Identity } from '../login/access.ts';
import { checkedPush, type PushCommand } from './push-commands.ts';

/** The roles that may fetch from and push to the exchange repository; all others are denied. */
const GIT_ROLES: readonly AccessRole[] = ['operator'];

/** Who pushes: a client of a person, or the host that performs an order. */
type Pusher = { client: string } | OrderAccess;

/** The programs of git behind a path; nothing else of the repository can be read. */
const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
type Service = (typeof SERVICES)[number];

/** The largest push, and the longest negotiation of a fetch. */
const MAX_PACK_BYTES = 2 * 1024 ** 3;
const MAX_WANTS_BYTES = 16 * 1024 ** 2;
const MAX_AT_ONCE = 8;
/** How many more may wait for their turn, and how long. */
const MAX_WAITING = 500;
const WAIT_MS = 60_000;
const TIMEOUT_MS = 1_800_000;
/** A client that neither sends nor takes anything in this time is disconnected. */
const STUCK_MS = 60_000;
const MAX_HEAD_BYTES = 8_192;

const SETTINGS: readonly (readonly [string, string])[] = [
  ['transfer.fsckObjects', 'true'],
  ['receive.fsckObjects', 'true'],
  ['receive.denyDeletes', 'true'],
  ['receive.denyNonFastForwards', 'true'],
  ['receive.unpackLimit', '1'],
  ['receive.autogc', 'false'],
  ['receive.advertisePushOptions', 'false'],
  ['receive.shallowUpdate', 'false'],
  ['core.bigFileThreshold', '16m'],
  ['pack.windowMemory', '64m'],
  ['pack.threads', '1'],
  ['uploadpack.allowFilter', 'false'],
  ['http.receivepack', 'true'],
  ['safe.directory', '*'],
];

/** The host of an order sees the commits that the order names, and nothing else of any project. */
function visibleTo({ commits }: OrderAccess): (readonly [string, string])[] {
  return ['refs', ...commits.map((commit) => `!${objectRef(commit)}`)].map((ref) => ['uploadpack.hideRefs', ref]);
}

export type GitEndpointOptions = {
  dir: string;
  world: World;
  closing: AbortSignal;
  /** The largest push, and how long nothing may move on a connection. */
  limits?: { packBytes: number; stuckMs: number };
};

/** A person who is logged in, or the host that performs an order. */
export type GitSender = { identity: Identity; token: string } | OrderAccess;

/** Serves one bare repository by `git http-backend`: whoever may use it fetches, and adds refs of their own. */
export class GitEndpoint {
  readonly #options: GitEndpointOptions;
  readonly #transfers = new Slots(MAX_AT_ONCE);

  constructor(options: GitEndpointOptions) {
    this.#options = options;
  }

  /** Answers a request of an identified sender. */
  async answer(incoming: IncomingMessage, outgoing: ServerResponse, sender: GitSender): Promise<void> {
    const service = serviceOf(incoming);
    if (service === undefined) throw new AppError('ROUTE_UNKNOWN', 'There is no such path of a repository');
    if ('identity' in sender && (sender.identity.via !== 'token' || !GIT_ROLES.includes(sender.identity.role)))
      throw new AppError('VIEWERS_ONLY_LOOK', `A ${sender.identity.role} may not use the repository of the server`);
    if (this.#transfers.waiting >= MAX_WAITING) throw new AppError('ENGINE_BUSY', 'Too many transfers wait');
    await openBareMirror(this.#options.dir, 'sha1', this.#options.world);
    const pusher = 'order' in sender ? sender : { client: clientId(sender.token) };
    await this.#inTurn(outgoing, () => this.#serve(incoming, outgoing, { service, pusher }));
  }

  /** Lets a transfer wait until others have ended; one whose sender is gone leaves. */
  async #inTurn(outgoing: ServerResponse, transfer: () => Promise<void>): Promise<void> {
    const { world, closing } = this.#options;
    const gone = new AbortController();
    const leave = () => gone.abort(new AppError('ENGINE_BUSY', 'Too many transfers run at once'));
    const cancel = world.alarm(world.now() + WAIT_MS, leave);
    outgoing.once('close', leave);
    try {
      await this.#transfers.with(
        () => {
          cancel();
          return transfer();
        },
        AbortSignal.any([gone.signal, closing]),
      );
    } finally {
      cancel();
      outgoing.off('close', leave);
    }
  }

  async #serve(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { service, pusher }: { service: Service; pusher: Pusher },
  ): Promise<void> {
    const { world, closing } = this.#options;
    const { packBytes, stuckMs } = this.#limits;
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    using _watch = watchProgress(incoming, { world, stuckMs });
    const limit = service === 'git-receive-pack' ? packBytes : MAX_WANTS_BYTES;
    const body = limited(incoming, limit);
    const isPush = service === 'git-receive-pack' && incoming.method === 'POST';
    const input = isPush ? checkedPush(body, (command) => refusalOfPush(command, pusher)) : body;
    const first = await input.next();
    const output = stream(['git', 'http-backend'], {
      env: this.#environment(incoming, pusher),
      cwd: dirname(this.#options.dir),
      input: continued(first, input),
      timeoutMs: TIMEOUT_MS,
      signal: AbortSignal.any([gone.signal, closing]),
    });
    await send(output, outgoing);
  }

  get #limits() {
    return this.#options.limits ?? { packBytes: MAX_PACK_BYTES, stuckMs: STUCK_MS };
  }

  #environment(incoming: IncomingMessage, pusher: Pusher): Record<string, string> {
    const { headers, method = 'GET', url = '/' } = incoming;
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
    const protocol = String(headers['git-protocol'] ?? '');
    return {
      ...gitEnvironment(false),
      ...gitSettings([
        ...SETTINGS,
        ['receive.maxInputSize', String(this.#limits.packBytes)],
        ...('order' in pusher ? visibleTo(pusher) : []),
      ]),
      GIT_PROJECT_ROOT: dirname(this.#options.dir),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: (url.split('?', 1)[0] ?? '').slice('/git'.length),
      REQUEST_METHOD: method,
      QUERY_STRING: query,
      REMOTE_USER: 'order' in pusher ? pusher.order : pusher.client,
      REMOTE_ADDR: '127.0.0.1',
      ...(method === 'POST' ? { CONTENT_TYPE: String(headers['content-type'] ?? '') } : {}),
      ...(headers['content-encoding'] === 'gzip' ? { HTTP_CONTENT_ENCODING: 'gzip' } : {}),
      // With version 2 a client may ask for commits that are hidden from it.
      ...(/^version=\d$/.test(protocol) && !('order' in pusher) ? { GIT_PROTOCOL: protocol } : {}),
    };
  }
}

/** Whether a path belongs to the repository of the server. */
export function isGitPath(path: string): boolean {
  return path.startsWith('/git/');
}

/** The content type of a changing request to the repository; no form of a page can send it. */
export function isGitContent(path: string, type: string | undefined): boolean {
  return SERVICES.some(
    (service) => path === `/git/exchange.git/${service}` && type === `application/x-${service}-request`,
  );
}

/** The service that a request is for, only by exactly these paths. */
function serviceOf({ method, url = '', headers }: IncomingMessage): Service | undefined {
  if (method === 'GET') return SERVICES.find((service) => url === `/git/exchange.git/info/refs?service=${service}`);
  if (method !== 'POST') return undefined;
  const found = SERVICES.find((service) => url === `/git/exchange.git/${service}`);
  const encoding = headers['content-encoding'];
  // Only the list of a fetch may be compressed: the instructions of a push are read here.
  if (encoding !== undefined && (encoding !== 'gzip' || found !== 'git-upload-pack')) return undefined;
  return found;
}

async function* limited(incoming: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    size += bytes.length;
    if (size > limit) throw new AppError('REQUEST_TOO_LARGE', `The request is larger than ${limit} bytes`);
    yield bytes;
  }
}

async function* continued(first: IteratorResult<Buffer>, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

/** Sends what the program answers: its head decides the status, of its headers only the type is passed on. */
async function send(output: AsyncIterable<Buffer>, outgoing: ServerResponse): Promise<void> {
  let head = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of output) {
    let rest: Buffer = chunk;
    if (!isBegun) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length < MAX_HEAD_BYTES) continue;
      if (end < 0) throw new AppError('GIT_FAILED', 'git http-backend answered with something else');
      begin(outgoing, head.toString('latin1', 0, end));
      isBegun = true;
      rest = head.subarray(end + 4);
    }
    if (rest.length > 0 && !outgoing.write(rest)) await drained(outgoing);
  }
  if (!isBegun) throw new AppError('GIT_FAILED', 'git http-backend ended without an answer');
  outgoing.end();
}

function begin(outgoing: ServerResponse, head: string): void {
  const status = Number(/^Status: (\d{3})/im.exec(head)?.[1] ?? 200);
  const type = /^Content-Type: ([\w./+-]+)/im.exec(head)?.[1] ?? 'application/octet-stream';
  outgoing.writeHead(status, { 'content-type': type });
}

async function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return;
  await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')]);
}

/** Disconnects a client on whose connection nothing moves. */
function watchProgress({ socket }: IncomingMessage, { world, stuckMs }: { world: World; stuckMs: number }): Disposable {
  let moved = -1;
  let cancel: () => void = () => {};
  const wait = () => {
    cancel = world.alarm(world.now() + stuckMs, () => {
      const now = socket.bytesRead + socket.bytesWritten;
      if (now === moved) return void socket.destroy();
      moved = now;
      wait();
    });
  };
  wait();
  return { [Symbol.dispose]: () => cancel() };
}

/** Why an instruction of a push is refused: only new refs of this client, each named for its commit, or of this attempt. */
function refusalOfPush({ old, new: to, ref }: PushCommand, pusher: Pusher): string | undefined {
  if (/^0+$/.test(to)) return `${ref} cannot be deleted`;
  if (!/^0+$/.test(old)) return `${ref} exists and cannot be moved`;
  if ('order' in pusher) {
    if (/-check-/.test(pusher.order)) return 'A check adds nothing';
    const own = ['attempts', 'late'].map((kind) => `refs/manyhands/${kind}/${pusher.order}/`);
    return own.some((prefix) => ref.startsWith(prefix)) ? undefined : `${ref} is not below ${own[0]}`;
  }
  if (ref !== clientRef(pusher.client, to)) return `${ref} is not ${clientRef(pusher.client, '<commit>')}`;
  return undefined;
}
