/**
 * How certain it is that a text is a secret. `real`: a value that probably grants access;
 * `placeholder`: it is written instead of a secret; `key-name`: the name of one, without a value; `identifier`: a word of
 * the program; `unknown`: none of these for certain.
 */
export type SecretClass = 'real' | 'placeholder' | 'key-name' | 'identifier' | 'unknown';

/** What people write where a secret belongs. */
const STANDS_FOR_ONE =
  /example|placeholder|change[-_ ]?(me|it)|dummy|sample|fake|redacted|replace|insert|todo|fixme|your[-_ ]|not[-_ ]?a?[-_ ]?real|lorem|foobar|correct[-_ ]?horse|x{4,}|\*{3,}|\.{3,}|_{4,}/i;
const IS_WORD_FOR_ONE =
  /^(?:my|the|a|some|test|dev|local|default|super|top)?[-_ ]?(?:api[-_ ]?)?(?:p[a@]ss(?:w[o0]rd)?|s[e3]cr[e3]t|token|key|admin|root|hunter2|postgres|mysql|guest)(?:[-_ ]?(?:key|token|value|here))?\d{0,4}[!.]?$/i;
/** A one-way hash of a password, and the signature of the token that everybody shows. */
const OPENS_NOTHING =
  /^\$(2[abxy]?|argon2\w*|pbkdf2[\w-]*|scrypt|[156y])\$|SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c$/;
/** Taken from elsewhere when the program runs. */
const IS_REFERENCE =
  /^[$%#@]?[{(<[]|^\$[A-Za-z_]|[})>\]]$|\$\{|\{\{|<[a-z_ -]+>|%[sdv]\b|^(process\.env|import\.meta|os\.(environ|getenv)|ENV\[|System\.getenv|secrets\.|vault:|env:|ref:|arn:|file:)/i;
const RUN = /(.)\1{5,}/;
const SEQUENCES = ['0123456789', '1234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'deadbeef', 'cafebabe'];
const SEQUENCE_CHARS = 8;
const KEY_NAME = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
/** A word or a chain of words, as programs and people name things: without random digits between letters. */
const IDENTIFIER =
  /^[A-Za-z_$][A-Za-z_$-]*\d{0,4}(?:(?:\.|::|->|\/|\[)[A-Za-z_$][\w$-]*\]?)*(?:\(.*)?$|^[\w.-]*(?:\/[\w.-]+)+$|^[a-z]+(?:[-_. ][a-z]+)+\d{0,4}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Bits a character by Shannon's measure; words of a language stay below. */
const RANDOM_BITS = 3.3;
const SHORTEST_RANDOM = 12;

/** The class of a value whose form alone identifies the vendor: real unless it is a placeholder. */
export function classOfKnown(value: string): SecretClass {
  return isPlaceholder(value) || OPENS_NOTHING.test(value) ? 'placeholder' : 'real';
}

/** The class of a password in an address: on this machine it counts as a default, elsewhere it is real. */
export function classOfUrlPassword(password: string, host: string): SecretClass {
  if (isPlaceholder(password) || IS_REFERENCE.test(password) || /\bexample\b/i.test(host)) return 'placeholder';
  return /^(localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker|[a-z]+$)/i.test(host) ? 'unknown' : 'real';
}

/** The class of a value that only the name before it makes suspicious. */
export function classOfAssigned(value: string): SecretClass {
  if (KEY_NAME.test(value)) return 'key-name';
  if (isPlaceholder(value) || IS_REFERENCE.test(value)) return 'placeholder';
  if (OPENS_NOTHING.test(value)) return 'unknown';
  if (IDENTIFIER.test(value) && !isMixed(value)) return 'identifier';
  if (UUID.test(value)) return 'unknown';
  return value.length >= SHORTEST_RANDOM && isMixed(value) && bits(value) >= RANDOM_BITS ? 'real' : 'unknown';
}

/** The shortest value of a pair that is hidden, and values that are numbers, times or names of formats. */
const SHORTEST_HIDDEN = 7;
const NUMBER = /^[\d.,:_+TZ-]+[%kKMs]?$/;
const FORMAT_NAME = /^(?:u?int|float|sha|md|base|utf|aes|es|v)-?\d+$/i;

/**
 * Whether the value of a pair such as `password=` is hidden in what is stored and shown. This hides more than is
 * reported as a secret: a weak password too, but no code, no reference and no obvious placeholder.
 */
export function isHiddenPair(value: string): boolean {
  if (value.length < SHORTEST_HIDDEN || NUMBER.test(value) || FORMAT_NAME.test(value)) return false;
  if (KEY_NAME.test(value) || IS_REFERENCE.test(value) || isWrittenInstead(value)) return false;
  const kind = classOfAssigned(value);
  if (kind === 'real' || kind === 'unknown') return true;
  return /\d/.test(value) && !/[.:/()[\]>]/.test(value);
}

function isPlaceholder(value: string): boolean {
  return isWrittenInstead(value) || IS_WORD_FOR_ONE.test(value);
}

function isWrittenInstead(value: string): boolean {
  if (STANDS_FOR_ONE.test(value) || RUN.test(value)) return true;
  const lower = value.toLowerCase();
  return SEQUENCES.some((sequence) => lower.includes(sequence.slice(0, SEQUENCE_CHARS)));
}

/** Letters and digits in turn, as in something that a machine made or a careful person chose. */
function isMixed(value: string): boolean {
  const turns = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z]{2})|\w(?=[!@#$%^&*?+=~])/g)?.length ?? 0;
  return turns >= 2;
}

function bits(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / value.length) * Math.log2(count / value.length);
  return sum;
}
