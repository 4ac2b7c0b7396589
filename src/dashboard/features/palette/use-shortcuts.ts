import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { after } from '../../ui/browser/clock.ts';
import { areSingleKeysOn } from '../../ui/browser/preferences.ts';
import { isTyping } from '../../ui/controls/list-keys.ts';
import { stepOf } from './shortcut-keys.ts';

/** The open dialog. */
export type Open = 'palette' | 'help' | undefined;

const WAIT_MS = 1_200;

/** The global keyboard shortcuts, and the dialog that they opened. */
export function useShortcuts(): [Open, (open: Open) => void] {
  const [open, setOpen] = useState<Open>();
  const [, navigate] = useLocation();
  const waits = useRef(false);
  useEffect(() => {
    let cancelTimer = () => {};
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented || event.isComposing) return;
      const step = stepOf({
        key: event.key,
        isCommand: event.ctrlKey || event.metaKey,
        isTyping: !areSingleKeysOn() || isTyping(event.target) || isInside(event.target),
        isAfterG: waits.current,
      });
      cancelTimer();
      waits.current = step.does === 'wait';
      if (step.does === 'nothing') return;
      if (step.does === 'wait') {
        cancelTimer = after(WAIT_MS, () => {
          waits.current = false;
        });
        return;
      }
      event.preventDefault();
      if (step.does === 'go') navigate(step.to);
      else if (step.does === 'move') moveFocus(step.by);
      else if (step.does === 'search') navigate('/search');
      else if (step.does === 'new') navigate('/start');
      else {
        const { does } = step;
        setOpen((before) => (before === does ? undefined : does));
      }
    };
    window.addEventListener('keydown', press);
    return () => {
      cancelTimer();
      window.removeEventListener('keydown', press);
    };
  }, [navigate]);
  return [open, setOpen];
}

/** Focuses the next or previous item of the page: a row of a list if it has rows, else a link. */
function moveFocus(by: 1 | -1): void {
  const rows = document.querySelectorAll<HTMLElement>('main [data-row]');
  const items = rows.length > 0 ? rows : document.querySelectorAll<HTMLElement>('main :is(a[href], summary)');
  const shown = [...items].filter((item) => item.offsetParent !== null);
  const active = document.activeElement;
  const index = shown.findIndex((item) => item === active || item.contains(active));
  shown[index < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.max(0, Math.min(index + by, shown.length - 1))]?.focus();
}

/** A terminal receives all keys. */
function isInside(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[data-takes-keys]') !== null;
}
