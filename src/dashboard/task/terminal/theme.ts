import type { ITheme } from '@xterm/xterm';

/** The colours of the page for a terminal. */
export function themeOf(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): ITheme {
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: token('--sunken'),
    foreground: token('--text'),
    cursor: token('--accent'),
    cursorAccent: token('--sunken'),
    selectionBackground: token('--found'),
  };
}
