import type { ReactElement } from 'react';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icon.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { Palette } from './palette.tsx';
import type { PageName } from './use-entries.ts';
import { useShortcuts } from './use-shortcuts.ts';

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of every page, what they open over it at once, so that no letter typed after them is lost, and a button. */
export function Overlay({ pages }: { pages: readonly PageName[] }): ReactElement {
  const [open, setOpen] = useShortcuts();
  const close = () => setOpen(undefined);
  return (
    <>
      <Button weight="quiet" onClick={() => setOpen('palette')} title="Command palette (Ctrl-K)">
        <Icon name="search" />
        <span className="hidden-words">Command palette</span>
        <kbd>{IS_APPLE ? '⌘ K' : 'Ctrl K'}</kbd>
      </Button>
      {open === 'palette' ? <Palette pages={pages} onClose={close} /> : null}
      {open === 'help' ? <KeyboardHelp pages={pages} onClose={close} /> : null}
    </>
  );
}
