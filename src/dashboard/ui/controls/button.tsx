import type { ComponentProps, MouseEvent, ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';

type Weight = 'main' | 'plain' | 'danger' | 'quiet';
type ButtonProps = ComponentProps<'button'> & { weight?: Weight; busy?: boolean };

/** A button; while busy it does nothing and keeps the focus. */
export function Button({ weight = 'plain', busy = false, onClick, ...rest }: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      className={styles.button}
      data-weight={weight}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? ignore : onClick}
    />
  );
}

function ignore(event: MouseEvent): void {
  event.preventDefault();
}

/** A link that looks like a button. */
export function LinkButton(props: { to: string; weight?: Weight; children: ReactNode }): ReactElement {
  return (
    <Link href={props.to} className={styles.button} data-weight={props.weight ?? 'plain'}>
      {props.children}
    </Link>
  );
}
