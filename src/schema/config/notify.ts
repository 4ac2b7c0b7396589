import { z } from 'zod';

/** What a message is about: something waits for the user, a run ended without all of its work, or a run is done. */
export const NotifyReason = z.enum(['needs-you', 'failed', 'done']);
export type NotifyReason = z.infer<typeof NotifyReason>;

/** Where messages are sent to. */
export const NotifyTarget = z.strictObject({
  kind: z.enum(['ntfy', 'slack', 'discord', 'webhook']).describe('webhook: a JSON document by POST.'),
  url: z
    .url({ protocol: /^https?$/ })
    .describe('The topic of ntfy (https://ntfy.sh/<topic>), or the address of the webhook.'),
  token: z.string().min(1).optional().describe('Sent as a bearer token: ntfy and webhook.'),
  on: z.array(NotifyReason).min(1).default(['needs-you', 'failed']).describe('What is sent.'),
});
export type NotifyTarget = z.infer<typeof NotifyTarget>;

/** Messages that the server sends when something needs the user. */
export const NotifyConfig = z
  .array(NotifyTarget)
  .max(10)
  .default([])
  .describe(
    'Messages from mh serve when something needs you, to ntfy, Slack, Discord or a webhook. Each is sent at least once, with a key by which a receiver detects repeats. Secrets are removed. Read only from your own settings file, not from that of a project.',
  );
