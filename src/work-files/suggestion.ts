import { nearest } from '../schema/nearest.ts';

const LONGEST_NAME = 100;

/** The known name that is probably intended; names of more than a hundred characters are not compared. */
export function suggestion(name: string, known: Iterable<string>): string | undefined {
  return name.length > LONGEST_NAME ? undefined : nearest(name, known);
}
