import type { KeyboardEvent, ReactElement, ReactNode, Ref } from 'react';

type ScrollAreaProps = {
  label: string;
  className?: string | undefined;
  ref?: Ref<HTMLElement>;
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void;
  children: ReactNode;
};

/** A scrollable section that can be focused and scrolled with the keyboard. */
export function ScrollArea({ label, className, ref, onKeyDown, children }: ScrollAreaProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
    <section ref={ref} className={className} aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
      {children}
    </section>
  );
}
