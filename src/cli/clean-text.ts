import { stripVTControlCharacters } from 'node:util';

/** Control characters but tab and newline, and those that turn the direction of writing. */
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const OPERATING_SYSTEM_COMMAND = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g;

/** Text of an agent, made harmless for a terminal: without escape sequences and control characters. */
export function cleanText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').replaceAll(OPERATING_SYSTEM_COMMAND, '');
  return stripVTControlCharacters(lines).replaceAll(DANGEROUS, '');
}

/** Harmless text on a single line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim();
}
