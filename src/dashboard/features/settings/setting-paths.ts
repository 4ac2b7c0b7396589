import type { Entry } from '../../ui/form/field.ts';
import { isSchema } from '../../ui/form/json-schema.ts';

/** A section of the settings page. */
export type Section = { key: string; title: string; about: string; entries: readonly Entry[] };
export type Origin = 'default' | 'user' | 'project';

const GENERAL = 'general';

/** The sections of the settings: one per group of the file, and first one for ungrouped settings. */
export function sectionsOf(entries: readonly Entry[]): Section[] {
  const alone = entries.filter(({ field }) => field.kind !== 'group');
  const groups = entries.flatMap(({ key, title, about, field }) =>
    field.kind === 'group' ? [{ key, title, about, entries: field.entries }] : [],
  );
  return [{ key: GENERAL, title: 'General', about: '', entries: alone }, ...groups];
}

/** What most people come for: which agents work, what must pass, and how much may run and cost. */
const MAIN: Readonly<Record<string, readonly string[] | 'all'>> = {
  [GENERAL]: ['agents', 'checks', 'land'],
  routing: ['order'],
  limits: ['agents', 'runAttempts', 'runtimeSeconds', 'inactivitySeconds'],
  budget: 'all',
};

/** The main settings, by section. */
export function mainSettings(sections: readonly Section[]): Section[] {
  return sections.flatMap((section) => {
    const keys = MAIN[section.key] ?? [];
    const entries = keys === 'all' ? section.entries : section.entries.filter(({ key }) => keys.includes(key));
    const title = section.key === GENERAL ? 'Agents and checks' : section.title;
    return entries.length === 0 ? [] : [{ ...section, title, entries }];
  });
}

/** The settings whose name or description contains every word; empty sections are left out. */
export function findSettings(sections: readonly Section[], text: string): Section[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [...sections];
  return sections.flatMap((section) => {
    const matches = ({ key, title, about }: Entry) => {
      const text = `${section.key}.${key} ${title} ${about}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const entries = section.entries.filter(matches);
    return entries.length === 0 ? [] : [{ ...section, entries }];
  });
}

/** The path of a setting in the file. */
export function pathOf(section: Section, entry: Entry): string[] {
  return section.key === GENERAL ? [entry.key] : [section.key, entry.key];
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((held, key) => (isSchema(held) ? held[key] : undefined), value);
}

/** The origin of a setting's value; for a group the most specific origin of its values. */
export function originAt(origins: Readonly<Record<string, Origin>>, path: readonly string[]): Origin {
  const key = path.join('.');
  const own = origins[key];
  if (own !== undefined) return own;
  const inside = Object.entries(origins).flatMap(([at, from]) => (at.startsWith(`${key}.`) ? [from] : []));
  return inside.find((from) => from === 'project') ?? inside.find((from) => from === 'user') ?? 'default';
}
