import { isHiddenPair } from './secret-class.ts';
import { hideSecrets, isSecretName, withoutNul } from './secret-rules.ts';

/** Replaces secrets in a text with a marker; `onCertain` is called if one of them is a secret for certain. */
export type Redact = (text: string, onCertain?: () => void) => string;

const MARK = '[redacted]';
/** Shorter values occur by chance, and replacing them would damage ordinary text. */
const SHORTEST_SECRET = 8;
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
  const literal = known.length === 0 ? undefined : new RegExp(known.map(escaped).join('|'), 'g');
  return (text, onCertain) => {
    const narrow = withoutNul(text);
    const plain = literal === undefined ? narrow : cutSecret(narrow.replace(literal, MARK), values);
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
    const shifts = [0, 1, 2].map((shift) => innerBase64(bytes, shift));
    return [hex, hex.toUpperCase(), ...shifts, ...shifts.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
  });
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...encoded];
  return forms.filter((form) => form.length >= SHORTEST_SECRET);
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
