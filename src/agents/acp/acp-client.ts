import { readFile, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import type { Conversation } from '../../process/conversation.ts';
import { pathInside } from '../path-inside.ts';
import type { AcpInput } from './acp-input.ts';
import { chooseOption, PermissionRequest, refusalOf } from './acp-permission.ts';

/** Handles what the agent sends besides responses. */
export interface ClientHandlers {
  onUpdate(update: unknown): void;
  /** Returns whether the request is granted. */
  onPermission(request: PermissionRequest): boolean;
}

const Notification = z.looseObject({
  method: z.literal(methods.client.session.update),
  params: z.looseObject({ update: z.unknown() }),
});
const FileRequest = z.looseObject({ path: z.string(), content: z.string().default('') });
const REFUSED = -32_001;

/** Connects to an agent as its client: the input decides permissions, and file access is limited to the workspace. */
export function connectClient(conversation: Conversation, input: AcpInput, handlers: ClientHandlers): ClientConnection {
  const inside = async (path: string) => {
    const file = await pathInside(input.workspace, path);
    if (file === undefined) throw new RequestError(REFUSED, `${path} is not in the workspace`);
    return file;
  };
  return client({ name: 'manyhands' })
    .onRequest(methods.client.session.requestPermission, PermissionRequest, ({ params }) => {
      const optionId = chooseOption(params, handlers.onPermission(params));
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(methods.client.fs.readTextFile, FileRequest, async ({ params }) => ({
      content: await readFile(await inside(params.path), 'utf8'),
    }))
    .onRequest(methods.client.fs.writeTextFile, FileRequest, async ({ params }) => {
      const file = await inside(params.path);
      const toolCall = { toolCallId: 'file', kind: 'edit', locations: [{ path: file }] };
      const refusal = refusalOf({ toolCall, options: [] }, input);
      if (refusal !== undefined) throw new RequestError(REFUSED, `${params.path} must not be written: ${refusal}`);
      await writeFile(file, params.content);
      return {};
    })
    .connect(withoutUpdates(conversation, handlers));
}

/** Handles updates before the library, which drops unknown ones, and keeps their order relative to responses. */
function withoutUpdates({ input, output }: Conversation, { onUpdate }: ClientHandlers): Stream {
  const { readable, writable } = ndJsonStream(Writable.toWeb(input), Readable.toWeb(output));
  const filter = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const { data } = Notification.safeParse(message);
      if (data === undefined) controller.enqueue(message);
      else onUpdate(data.params.update);
    },
  });
  return { readable: readable.pipeThrough(filter), writable };
}
