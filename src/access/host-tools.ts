import type { AttemptTools, AttemptWaits, OpenTools, ToolsOwner } from '../engine/attempt/attempt-tools.ts';
import type { ForwardedCalls } from '../engine/hosts/forwarded-calls.ts';
import { loadToolKey } from '../store/credentials/tool-tokens.ts';
import type { World } from '../world.ts';
import { openToolSocket } from './tool-socket.ts';

type Sources = { root: string; world: World; calls: ForwardedCalls; waits: () => AttemptWaits };

/** Opens a socket and a token for each attempt on a host; the token is verified here, and the leader performs the call as that attempt. */
export class HostTools implements AttemptTools {
  readonly #sources: Sources;
  #key: Promise<string> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async open(owner: ToolsOwner): Promise<OpenTools> {
    const { root, world, calls, waits } = this.#sources;
    this.#key ??= loadToolKey({ root, world });
    return openToolSocket(
      {
        owner,
        key: await this.#key,
        call: (request, signal) => waits().during(owner, () => calls.call(owner.id, request, signal)),
        // What never becomes a call is refused here; only the leader records.
        refuse: async () => {},
        isContinued: () => false,
      },
      world,
    );
  }
}
