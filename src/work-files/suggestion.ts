import { nearest } from '../errors.ts';

const LONGEST_NAME = 100;

/** The known name that was probably meant; nobody misspells a name of more than a hundred characters. */
export function suggestion(name: string, known: Iterable<string>): string | undefined {
  return name.length > LONGEST_NAME ? undefined : nearest(name, known);
}
