import { type RefObject, useLayoutEffect, useState } from 'react';

const LEAST_PX = 320;
const MARGIN_PX = 24;

/** The height that is left on the screen below where the list begins. */
export function useRoom(box: RefObject<HTMLElement | null>, below: number): number {
  const [room, setRoom] = useState(LEAST_PX);
  useLayoutEffect(() => {
    const measure = () => {
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const bottom = box.current?.closest('main')?.getBoundingClientRect().bottom ?? window.innerHeight;
      setRoom(Math.max(LEAST_PX, bottom - top - below - MARGIN_PX));
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [box, below]);
  return room;
}
