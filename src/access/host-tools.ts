import type { AttemptTools, AttemptWaits, OpenTools, ToolsOwner } from '../engine/attempt/attempt-tools.ts';
import type { ForwardedCalls } from '../engine/hosts/forwarded-calls.ts';
import { loadToolKey } from '../store/credentials/tool-tokens.ts';
import type { World } from '../world.ts';
import { openToolSocket } from './tool-socket.ts';

type Sources = { root: string; world: World; calls: ForwardedCalls; waits: () => AttemptWaits };

/** What an answer may take that nobody waits for: two commits and the way to the leader and back. */
const SHORT_CALL_MS = 2_000;

/** Opens a socket and a token for each attempt on a host; the token is verified here, and the leader performs the call as that attempt. */
export class HostTools implements AttemptTools {
  readonly #sources: Sources;
  #key: Promise<string> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async open(owner: ToolsOwner): Promise<OpenTools> {
    const { root, world, calls } = this.#sources;
    this.#key ??= loadToolKey({ root, world });
    return openToolSocket(
      {
        owner,
        key: await this.#key,
        call: (request, signal) => this.#waitFor(owner, calls.call(owner.id, request, signal)),
        // What never becomes a call is refused here; only the leader records.
        refuse: async () => {},
        isContinued: () => false,
      },
      world,
    );
  }

  /** An attempt whose call the leader does not answer at once waits in it, and holds no slot; that of a short call does not. */
  async #waitFor(owner: ToolsOwner, answer: Promise<unknown>): Promise<unknown> {
    const { world, waits } = this.#sources;
    const answered = new AbortController();
    const isLong = world.sleep(SHORT_CALL_MS, answered.signal).then(
      () => true,
      () => false,
    );
    // Safe: the caller gets the error.
    answer.catch(() => {}).finally(() => answered.abort());
    return (await isLong) ? waits().during(owner, () => answer) : answer;
  }
}
