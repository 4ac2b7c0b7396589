import { withoutNul } from './encoded-texts.ts';
import { isHiddenPair } from './secret-class.ts';
import { hideSecrets, isSecretName } from './secret-rules.ts';

/** Replaces secrets in a text with a marker; `onCertain` is called if one of them is a secret for certain. */
export type Redact = (text: string, onCertain?: () => void) => string;

const MARK = '[redacted]';
/** Shorter values occur by chance, and replacing them would damage ordinary text. */
const SHORTEST_SECRET = 8;
/** What spells a character in JSON, URLs and HTML, and what separates characters: escaped and real line breaks, backslashes. */
const CODED = /\\+(?:u00|x)([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2,3});|&(quot|amp|lt|gt|apos);/i;
const SEPARATING = /\\+[nr]?|\r?\n[ \t]*/g;
const CODED_ALL = new RegExp(CODED.source, 'gi');
const MAY_BE_SPELLED = /[\\%&\n]/;
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };
/** The end of a shortened text, and how much of a secret before it is recognised. */
const CUT = '…';
const SHORTEST_CUT = 4;
const SECRET_NAME =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|CONNECTION_STRING|DATABASE_URL|DSN)/i;

/** The values among these variables that are secrets by their names. */
export function secretsAmong(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );
}

/**
 * Finds these values, as they are and in the usual encodings (base64 at each shift, hex, URL, JSON, UTF-16), and texts
 * that look like secrets. It limits damage but is no security boundary: a secret can be encoded in another way.
 */
export function redactor(secrets: Iterable<string>): Redact {
  const values = [...secrets].filter((secret) => secret.length >= SHORTEST_SECRET);
  const known = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const literal = anyOf(known);
  const unbroken = values.flatMap((value) => [value, ...base64Forms(new TextEncoder().encode(value))]);
  const spelled = anyOf([...new Set(unbroken.map(unspelled))].filter((form) => form.length >= SHORTEST_SECRET));
  return (text, onCertain) => {
    const narrow = withoutNul(text);
    const found = literal === undefined ? narrow : cutSecret(narrow.replace(literal, MARK), values);
    const plain = spelled !== undefined && MAY_BE_SPELLED.test(found) ? withoutSpelled(found, spelled) : found;
    let isCertain = plain !== narrow;
    const shown = hideSecrets(plain, MARK, () => {
      isCertain = true;
    });
    if (isCertain) onCertain?.();
    return shown === narrow ? text : shown;
  };
}

/** Redacts texts that look like secrets, where the values of variables are not known. */
export const redactForms: Redact = redactor([]);

function anyOf(texts: readonly string[]): RegExp | undefined {
  return texts.length === 0 ? undefined : new RegExp(texts.map(escaped).join('|'), 'g');
}

/** A text with its escapes decoded and without line breaks and backslashes; a value is searched for in the same form. */
function unspelled(text: string): string {
  const spelled = CODED.test(text) ? text.replace(CODED_ALL, (...match) => decoded(match)) : text;
  return spelled.replace(SEPARATING, '');
}

function decoded([, json, percent, hex, code, name]: string[]): string {
  const digits = json ?? percent ?? hex;
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  if (code !== undefined) return String.fromCharCode(Number(code));
  return ENTITIES[name?.toLowerCase() ?? ''] ?? '';
}

/** Replaces values that are spelled in another way, or broken over lines. Offsets are only computed if there is one. */
function withoutSpelled(text: string, values: RegExp): string {
  const matches = [...unspelled(text).matchAll(values)];
  if (matches.length === 0) return text;
  const offsets = offsetsOf(text);
  let shown = '';
  let end = 0;
  for (const { index, 0: value } of matches) {
    const first = offsets[index];
    const last = offsets[index + value.length - 1];
    if (first === undefined || last === undefined) continue;
    shown += text.slice(end, first.start) + MARK;
    end = last.end;
  }
  return shown + text.slice(end);
}

/** Where each character of the unspelled text is in the text. */
function offsetsOf(text: string): { start: number; end: number }[] {
  const decodedAt: { char: string; start: number; end: number }[] = [];
  const pieces = [...text.matchAll(CODED_ALL)].map((match) => ({
    match,
    start: match.index,
    end: match.index + match[0].length,
  }));
  for (let at = 0, next = 0; at < text.length; ) {
    const piece = pieces[next]?.start === at ? pieces[next] : undefined;
    const end = piece?.end ?? at + 1;
    decodedAt.push({ char: piece === undefined ? text.charAt(at) : decoded(piece.match), start: at, end });
    if (piece !== undefined) next += 1;
    at = end;
  }
  const separating = [
    ...decodedAt
      .map(({ char }) => char)
      .join('')
      .matchAll(SEPARATING),
  ];
  const removed = new Set(
    separating.flatMap(({ index, 0: { length } }) => Array.from({ length }, (_, at) => index + at)),
  );
  return decodedAt.filter((_, index) => !removed.has(index));
}

/** A shortened text may end within a secret. */
function cutSecret(text: string, secrets: readonly string[]): string {
  if (!text.endsWith(CUT)) return text;
  const kept = text.slice(0, -CUT.length);
  for (const secret of secrets)
    for (let length = secret.length - 1; length >= SHORTEST_CUT; length -= 1)
      if (kept.endsWith(secret.slice(0, length))) return `${kept.slice(0, -length)}${MARK}${CUT}`;
  return text;
}

/** The same for everything in a JSON value. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isPair = typeof item === 'string' && isSecretName(key) && isHiddenPair(item);
      return [key, isPair ? MARK : redactValue(item, redact)];
    }),
  );
}

function formsOf(secret: string): string[] {
  const narrow = new TextEncoder().encode(secret);
  const wide = Uint8Array.from([...secret].flatMap((char) => [char.charCodeAt(0) & 0xff, char.charCodeAt(0) >> 8]));
  const encoded = [narrow, wide].flatMap((bytes) => {
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return [hex, hex.toUpperCase(), ...base64Forms(bytes)];
  });
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...encoded];
  return forms.filter((form) => form.length >= SHORTEST_SECRET);
}

function base64Forms(bytes: Uint8Array): string[] {
  const shifts = [0, 1, 2].map((shift) => innerBase64(bytes, shift));
  return [...shifts, ...shifts.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** The characters of base64 that depend on the secret alone when this many bytes precede it. */
function innerBase64(bytes: Uint8Array, shift: number): string {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const text = btoa(String.fromCharCode(...padded)).replace(/=+$/, '');
  const whole = Math.floor((padded.length * 8) / 6);
  return text.slice(shift === 0 ? 0 : shift + 1, whole);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
