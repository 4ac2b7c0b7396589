import { Transform } from 'node:stream';
import type { KeyRoute } from './session-rules.ts';

type Keys = KeyRoute['keys'];

/** The headers in which the programs of vendors send a key. In others a server may repeat what it got in its answer. */
const KEY_HEADERS = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']);
const KEY_PARAMETER = /([?&]key=)([^&#]*)/g;
/** A shorter one would be found in any text. */
const SHORTEST_KEY = 8;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

/** The value of a header with the key in place of its placeholder: only as the whole value, or behind `Bearer`. */
export function headerWithKey(name: string, value: string, keys: Keys): string {
  if (!KEY_HEADERS.has(name)) return value;
  const [, scheme = '', text = ''] = /^(bearer +)?(.*)$/i.exec(value) ?? [];
  return `${scheme}${secretFor(text, keys) ?? text}`;
}

/** The path below the address of a route with the key in the parameter `key`; undefined for one that leads out of that address. */
export function pathWithKey(path: string, keys: Keys): string | undefined {
  if (DOT_SEGMENT.test(path)) return undefined;
  return path.replace(KEY_PARAMETER, (whole, start: string, value: string) => {
    const secret = secretFor(value, keys);
    return secret === undefined ? whole : `${start}${encodeURIComponent(secret)}`;
  });
}

/** A text of an answer without keys. */
export function withoutKeys(text: string, keys: Keys): string {
  return formsOf(keys).reduce((result, form) => result.replaceAll(form, '*'.repeat(form.length)), text);
}

/** Passes the body of an answer on, with as many asterisks in place of a key that the server repeats. */
export function bodyWithoutKeys(keys: Keys): Transform {
  const forms = formsOf(keys).map((form) => Buffer.from(form));
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([rest, chunk]);
      for (const form of forms) {
        for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + form.length))
          bytes.fill('*', at, at + form.length);
      }
      const kept = Math.max(0, ...forms.map((form) => startAtEnd(bytes, form)));
      rest = bytes.subarray(bytes.length - kept);
      done(null, bytes.subarray(0, bytes.length - kept));
    },
    flush(done) {
      done(null, rest);
    },
  });
}

/** How many of the last bytes may be the start of a key that continues in the next ones. */
function startAtEnd(bytes: Buffer, form: Buffer): number {
  for (let length = Math.min(form.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(form.subarray(0, length))) return length;
  return 0;
}

function formsOf(keys: Keys): string[] {
  const secrets = keys.map(({ secret }) => secret).filter(({ length }) => length >= SHORTEST_KEY);
  const forms = secrets.flatMap((secret) => {
    const encoded = encodeURIComponent(secret);
    const inSmallDigits = encoded.replaceAll(/%../g, (digits) => digits.toLowerCase());
    return [secret, encoded, inSmallDigits, JSON.stringify(secret).slice(1, -1)];
  });
  return [...new Set(forms)];
}

function secretFor(text: string, keys: Keys): string | undefined {
  return keys.find(({ placeholder }) => placeholder === text)?.secret;
}
