import { InvalidArgumentError } from 'commander';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A duration as a clock: 0:04, 12:31, 1:02:03. */
export function clockText(ms: number): string {
  const total = Math.max(Math.floor(ms / 1000), 0);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

export function bytesText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < SIZES.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${SIZES[unit]}`;
}

/** Reads `500`, `64kB`, `10MB` or `1.5GB` as bytes. */
export function parseBytes(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?b?)$/i.exec(text) ?? [];
  const power = SIZES.findIndex((size) => size.toLowerCase() === `${unit.toLowerCase().replace(/b$/, '')}b`);
  const bytes = Math.round(Number(amount) * 1000 ** power);
  if (amount === '' || !(bytes >= 1)) throw new InvalidArgumentError('Use a size such as 500kB, 10MB or 1GB.');
  return bytes;
}

/** Reads `90`, `90s`, `10m`, `1.5h` as seconds. */
export function parseSeconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text);
  const seconds = Number(match?.[1]) * (UNITS[match?.[2] || 's'] ?? 1);
  if (!(seconds > 0)) throw new InvalidArgumentError('Use a duration such as 90s, 10m or 1h.');
  return seconds;
}

/** Reads `30` or `30d` as whole days. */
export function parseDays(text: string): number {
  const days = /^\d{1,5}d?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (days <= 36_500) return days;
  throw new InvalidArgumentError('Use a number of days from 0 to 36500, such as 30d.');
}

/** Reads US dollars, with or without the dollar sign. */
export function parseUsd(text: string): number {
  const usd = /^\$?\d+(\.\d+)?$/.test(text) ? Number(text.replace('$', '')) : Number.NaN;
  if (!(usd > 0)) throw new InvalidArgumentError('Use an amount in US dollars above 0, such as 2.50.');
  return usd;
}

/** A parser for whole numbers within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

/** Reads a part of a whole, from 0.1 to 1. */
export function parsePart(text: string): number {
  const part = /^\d*\.?\d+$/.test(text.trim()) ? Number(text) : 0;
  if (part >= 0.1 && part <= 1) return part;
  throw new InvalidArgumentError('Use a number from 0.1 to 1.');
}
