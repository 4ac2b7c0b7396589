import type { Config } from '../../schema/config.ts';

/** A track: its categories, how many of its features run at once, and its agent. */
export type Track = {
  name: string;
  categories: readonly string[];
  features: number;
  isDefault: boolean;
  agent?: string;
};

/** Where no tracks are configured there is one, and so many features at once in it. */
const ONLY: Track = { name: 'default', categories: [], features: 3, isDefault: true };

/** The configured tracks; there is always one that takes what no other does. */
export function tracksOf({ tracks }: Pick<Config, 'tracks'>): Track[] {
  const named = Object.entries(tracks).map(([name, { categories, features, default: isDefault, agent }]) => ({
    name,
    categories,
    features,
    isDefault,
    ...(agent === undefined ? {} : { agent }),
  }));
  if (named.length === 0) return [ONLY];
  return named.some(({ isDefault }) => isDefault)
    ? named
    : named.map((track, index) => ({ ...track, isDefault: index === 0 }));
}

/** The track of a category: the one that names it, else the default. */
export function trackOf(tracks: readonly Track[], category: string): Track {
  const lowerCase = category.toLowerCase();
  const named = tracks.find(({ categories }) => categories.some((name) => name.toLowerCase() === lowerCase));
  return named ?? tracks.find(({ isDefault }) => isDefault) ?? ONLY;
}
