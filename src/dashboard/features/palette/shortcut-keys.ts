/** Keys that go to a page when pressed after `g`. */
export const GO_KEYS: Readonly<Record<string, string>> = {
  h: '/',
  i: '/inbox',
  o: '/board',
  r: '/history',
  s: '/search',
  u: '/usage',
  m: '/models',
  t: '/templates',
  b: '/batches',
  k: '/knowledge',
  w: '/watch',
  x: '/hosts',
  n: '/start',
  ',': '/settings',
};

/** The effect of a key; `wait` waits for the key after `g`. */
export type Step =
  | { does: 'palette' | 'help' | 'search' | 'new' }
  | { does: 'go'; to: string }
  | { does: 'move'; by: 1 | -1 }
  | { does: 'wait' }
  | { does: 'nothing' };

type Key = { key: string; isCommand: boolean; isTyping: boolean; isAfterG: boolean };

/** The effect of a key; while typing, only Ctrl-K has one. */
export function stepOf({ key, isCommand, isTyping, isAfterG }: Key): Step {
  if (isCommand) return key.toLowerCase() === 'k' ? { does: 'palette' } : { does: 'nothing' };
  if (isTyping) return { does: 'nothing' };
  const to = GO_KEYS[key];
  if (isAfterG) return to === undefined ? { does: 'nothing' } : { does: 'go', to };
  if (key === 'g') return { does: 'wait' };
  if (key === '?') return { does: 'help' };
  if (key === '/') return { does: 'search' };
  if (key === 'c') return { does: 'new' };
  if (key === 'j') return { does: 'move', by: 1 };
  if (key === 'k') return { does: 'move', by: -1 };
  return { does: 'nothing' };
}
