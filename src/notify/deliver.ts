import { messageOf } from '../errors.ts';
import type { NotifyTarget } from '../schema/config/notify.ts';
import type { Message } from './messages.ts';

/** The request that delivers a message; the key is in a header of every kind. */
type Delivery = { url: string; headers: Record<string, string>; body: string };

/** Whether a message arrived; `retry`: whether sending it again may help. */
export type DeliveryResult = { ok: true } | { ok: false; detail: string; retry: boolean };

const ANSWER_MS = 15_000;

/** Sends a message; redirects are refused, so that a token reaches no other host. */
export async function deliver(target: NotifyTarget, message: Message, base: string): Promise<DeliveryResult> {
  const { url, headers, body } = deliveryOf(target, message, base);
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    await answer.body?.cancel();
    if (answer.ok) return { ok: true };
    const isOwnFault = answer.status >= 400 && answer.status < 500 && answer.status !== 408 && answer.status !== 429;
    return { ok: false, detail: `${new URL(url).host} answered ${answer.status}`, retry: !isOwnFault };
  } catch (error) {
    return { ok: false, detail: `${new URL(url).host}: ${messageOf(error)}`, retry: true };
  }
}

/** The request of each kind of receiver. */
export function deliveryOf({ kind, url, token }: NotifyTarget, message: Message, base: string): Delivery {
  const { key, title, text, path } = message;
  const common = {
    'idempotency-key': encodeURIComponent(key),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const json = { ...common, 'content-type': 'application/json' };
  const link = `${base}${path}`;
  // A test message is about no page.
  const lines = base === '' ? [] : [link];
  switch (kind) {
    case 'ntfy':
      return {
        url,
        headers: {
          ...common,
          title: headerText(title),
          ...(base === '' ? {} : { click: link }),
          tags: message.reason === 'done' ? 'white_check_mark' : 'warning',
        },
        body: text === '' ? title : text,
      };
    case 'slack':
      return {
        url,
        headers: json,
        body: JSON.stringify({ text: [`*${escaped(title)}*`, escaped(text), ...lines].join('\n') }),
      };
    case 'discord':
      return {
        url,
        headers: json,
        body: JSON.stringify({
          content: [`**${unmarked(title)}**`, unmarked(text), ...lines].join('\n'),
          allowed_mentions: { parse: [] },
        }),
      };
    case 'webhook':
      return { url, headers: json, body: JSON.stringify({ ...message, url: link }) };
  }
}

/** A header carries no other characters; ntfy decodes this form. */
function headerText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return /^[\x20-\x7e]*$/.test(line) ? line : `=?UTF-8?B?${Buffer.from(line).toString('base64')}?=`;
}

/** Slack gives these characters a meaning, such as a mention of everybody. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Discord shows a text in brackets as a link to an address that is not seen. */
function unmarked(text: string): string {
  return text.replaceAll(/[\\`*_~|[\]<>]/g, '\\$&');
}
