import type { z } from 'zod';

/** A setting of ours that a key of another tool becomes. */
export type Setting = {
  to: string;
  value: unknown;
  /** What it lets agents do that they could not do before; then it is taken only when a person says so. */
  widens?: string;
};

/** A file that an import makes. */
export type NewFile = { path: string; text: string };

/** The instructions of another tool for its agents, and the role of ours that it is for. */
export type ForeignPrompt = { role: string; text: string };

/** What a key may look at besides its own value. */
export type ImportContext = {
  /** The whole content of its file. */
  whole: unknown;
  hasBranch(name: string): boolean;
  hasFile(path: string): boolean;
};

/** What became of a key: settings and files of ours, or the reason why there are none. */
export type KeyResult = { settings?: Setting[]; files?: NewFile[]; prompt?: ForeignPrompt; note?: string };

/** A key of another tool's file and what becomes of it; `*` is any name. */
export type KeyMapping =
  | {
      fate: 'mapped';
      key: string;
      to: string;
      read(value: unknown, context: ImportContext): KeyResult | { error: string };
    }
  | { fate: 'ignored'; key: string; reason: string };

/** A key that becomes a setting; a value of another type than the key's is a mistake and never bent into shape. */
export function mapped<T>(
  key: string,
  to: string,
  how: { type: z.ZodType<T>; turn?: (value: T, context: ImportContext) => KeyResult },
): KeyMapping {
  return {
    fate: 'mapped',
    key,
    to,
    read: (value, context) => {
      const parsed = how.type.safeParse(value);
      if (!parsed.success) return { error: issueText(value, parsed.error) };
      return how.turn?.(parsed.data, context) ?? { settings: [{ to, value: parsed.data }] };
    },
  };
}

/** Keys that mean nothing here, with the reason. */
export function ignored(reason: string, keys: readonly string[]): KeyMapping[] {
  return keys.map((key) => ({ fate: 'ignored', key, reason }));
}

/** The same for keys of one section. */
export function ignoredBelow(section: string, reason: string, keys: readonly string[]): KeyMapping[] {
  return ignored(
    reason,
    keys.map((key) => `${section}.${key}`),
  );
}

/** A setting that lets agents do more, and what exactly. */
export function widening(to: string, value: unknown, widens: string): KeyResult {
  return { settings: [{ to, value, widens }] };
}

/** No setting, and why. */
export function left(note: string): KeyResult {
  return { note };
}

function issueText(value: unknown, error: z.ZodError): string {
  const [issue] = error.issues;
  const quoted = typeof value === 'string' && /^(true|false|-?\d+(\.\d+)?)$/i.test(value.trim());
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  const expected =
    issue?.code === 'invalid_type' ? `a ${issue.expected} is expected` : (issue?.message ?? 'not allowed');
  return `${where}found ${foundText(value)}; ${expected}${quoted ? ', without quotes' : ''}`;
}

function foundText(value: unknown): string {
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : String(value);
}
