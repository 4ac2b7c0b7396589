import { useEffect, useState } from 'react';

/** For a panel: when it closes with the focus inside, what had the focus before gets it again. */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}
