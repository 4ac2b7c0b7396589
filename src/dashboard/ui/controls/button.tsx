import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';

type Weight = 'main' | 'plain' | 'danger' | 'quiet';
type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { weight?: Weight; busy?: boolean };

/** A button; it is disabled while busy. */
export function Button({ weight = 'plain', busy = false, disabled, ...rest }: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      className={styles.button}
      data-weight={weight}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    />
  );
}

/** A link that looks like a button. */
export function LinkButton(props: { to: string; weight?: Weight; children: ReactNode }): ReactElement {
  return (
    <Link href={props.to} className={styles.button} data-weight={props.weight ?? 'plain'}>
      {props.children}
    </Link>
  );
}
