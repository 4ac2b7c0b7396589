/** Something that the palette reaches: a page, a run, a task, or an action. */
export type Entry = {
  id: string;
  title: string;
  group: 'Actions' | 'Pages' | 'Runs' | 'Tasks' | 'New run' | 'Appearance';
  /** Words that find it besides its title. */
  words?: string;
  hint?: string;
  /** It cannot be taken back: it must be chosen twice. */
  isGrave?: boolean;
  run(): void;
};

const MOST = 60;
const MOST_RECENT = 8;
const FEW = 6;

/** The entries that hold every word typed, the best first; with nothing typed, those that were used last come first. */
export function findEntries(entries: readonly Entry[], typed: string, recent: readonly string[]): Entry[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const seen = new Map<string, number>();
  const rated = entries.flatMap((entry, index) => {
    const score = scoreOf(entry, words);
    if (score === 0) return [];
    if (words.length === 0 && isCrowd(entry, seen)) return [];
    const place = recent.indexOf(entry.id);
    const bonus = place < 0 ? 0 : (MOST_RECENT - place) / (words.length === 0 ? 1 : 10);
    return [{ entry, score: score + bonus, index }];
  });
  return rated
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

/** With nothing typed, a few of each crowd stand for all of it. */
function isCrowd({ group }: Entry, seen: Map<string, number>): boolean {
  if (group !== 'Runs' && group !== 'Tasks') return false;
  const before = seen.get(group) ?? 0;
  seen.set(group, before + 1);
  return before >= FEW;
}

/** The entries used last, this one first. */
export function withRecent(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((each) => each !== id)].slice(0, MOST_RECENT);
}

/** 0: a word is missing; more where words stand at the beginning of the title or of a word. */
function scoreOf({ title, group, words: more = '', hint = '' }: Entry, words: readonly string[]): number {
  const name = title.toLowerCase();
  const all = `${name} ${more} ${hint} ${group}`.toLowerCase();
  let score = 1;
  for (const word of words) {
    if (name.startsWith(word)) score += 4;
    else if (name.includes(` ${word}`)) score += 3;
    else if (name.includes(word)) score += 2;
    else if (all.includes(word)) score += 1;
    else return 0;
  }
  return score;
}
