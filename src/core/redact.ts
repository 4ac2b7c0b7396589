/** Replaces secrets in a text with a marker. */
export type Redact = (text: string) => string;

const MARK = '[redacted]';
/** Shorter values occur by chance, and replacing them would damage ordinary text. */
const SHORTEST_SECRET = 8;
const SECRET_NAME =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|CONNECTION_STRING|DATABASE_URL|DSN)/i;

/** Texts that are secrets whatever their name: keys of known vendors, private keys, signed tokens. */
const PATTERNS: readonly RegExp[] = [
  /\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}\b/g,
  /\bxox[abposr]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bmht_[0-9a-f]{64}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|$)/g,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]+:[^\s@/]{3,}@/gi,
];

/** A fast test: every match of a pattern contains one of these, and most texts contain none. */
const HINT = /sk-|gh[oprsu]_|github_pat_|glpat-|A[KS]IA|AIza|xox|npm_|mht_|eyJ|-----BEGIN |:\/\//;

/** The values among these variables that are secrets by their names. */
export function secretsAmong(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );
}

/**
 * Finds these values, as they are and in the usual encodings (base64 at each shift, hex, URL, JSON), and texts that look
 * like well-known secrets. It limits damage but is no security boundary: a secret can be encoded in another way.
 */
export function redactor(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) for (const form of formsOf(secret)) forms.add(form);
  }
  const known = [...forms].sort((a, b) => b.length - a.length);
  const literal = known.length === 0 ? undefined : new RegExp(known.map(escaped).join('|'), 'g');
  return (text) => {
    const plain = literal === undefined ? text : text.replace(literal, MARK);
    if (!HINT.test(plain)) return plain;
    return PATTERNS.reduce((cleaned, pattern) => cleaned.replace(pattern, MARK), plain);
  };
}

/** The same for everything in a JSON value. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, redact)]));
}

function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const shifts = [0, 1, 2].map((shift) => innerBase64(bytes, shift));
  const urlSafe = shifts.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...shifts,
    ...urlSafe,
  ];
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
