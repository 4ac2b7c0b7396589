import type { ReactElement } from 'react';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icon.tsx';
import { setTheme, THEMES, useTheme } from '../look/theme.ts';

const WORDS = { system: 'as the system', light: 'light', dark: 'dark' } as const;

/** Goes from one theme to the next. */
export function ThemeSwitch(): ReactElement {
  const theme = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const words = `Colours: ${WORDS[theme]}. Change to ${WORDS[next]}`;
  return (
    <Button weight="quiet" aria-label={words} title={words} onClick={() => setTheme(next)}>
      <Icon name="theme" />
    </Button>
  );
}
