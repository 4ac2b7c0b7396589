import { createHash } from 'node:crypto';

/**
 * How certain it is that a text is a secret. `real`: a value that probably grants access;
 * `placeholder`: it is written instead of a secret; `key-name`: the name of one, without a value; `identifier`: a word of
 * the program; `unknown`: none of these for certain.
 */
export type SecretClass = 'real' | 'placeholder' | 'key-name' | 'identifier' | 'unknown';

/** A text that looks like a secret, and where it begins. The value is never stored or shown. */
export type SecretCandidate = { rule: string; value: string; class: SecretClass; at: number };

const SHOWN_CHARS = 4;
const FINGERPRINT_CHARS = 16;

/** Identifies a value without revealing it: the same value always has the same fingerprint. */
export function fingerprintOf(value: string): string {
  return createHash('sha256').update(value, 'latin1').digest('hex').slice(0, FINGERPRINT_CHARS);
}

/** Enough of a value to find it by, never enough to use it. */
export function maskedValue(value: string): string {
  const shown = value.length >= 5 * SHOWN_CHARS ? value.slice(0, SHOWN_CHARS).replace(/[^\x21-\x7e]/g, '?') : '';
  return `${shown}**** (${value.length} characters)`;
}
