import { createHash } from 'node:crypto';

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
