import type { KeyboardEvent, ReactElement, ReactNode, Ref } from 'react';

type ScrollAreaProps = {
  label: string;
  className?: string | undefined;
  ref?: Ref<HTMLElement>;
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void;
  children: ReactNode;
};

/** A part that scrolls by itself: it can be reached and scrolled by keyboard. */
export function ScrollArea({ label, className, ref, onKeyDown, children }: ScrollAreaProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={ref} className={className} aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
      {children}
    </section>
  );
}
