import type { ReactElement } from 'react';

const PATHS = {
  home: 'M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v7h-3zM10.5 3h3v4h-3z',
  inbox: 'M2 9h3l1 2h4l1-2h3M2 9l2-6h8l2 6v4H2z',
  history: 'M8 4.5V8l2.5 1.5M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2.5 5.5M2.5 2.5v3h3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14',
  usage: 'M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  models: 'M8 2 14 5.2 8 8.4 2 5.2zM2 8l6 3.2L14 8M2 10.8 8 14l6-3.2',
  templates: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  knowledge: 'M3 3h4a1 1 0 0 1 1 1 1 1 0 0 1 1-1h4v9H9a1 1 0 0 0-1 1 1 1 0 0 0-1-1H3zM8 4v9',
  batches: 'M2.5 3.5h11M2.5 8h11M2.5 12.5h11',
  settings:
    'M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.5 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  plus: 'M8 3v10M3 8h10',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM6.5 14h3',
  terminal: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10.5H11',
  branch: 'M5 3v10M5 10c0-3 6-2 6-5M11 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  theme: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M8 5h3.5M8 8h5M8 11h3.5',
  flag: 'M4 14V2.5M4 3h8l-2 2.8L12 8.5H4',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3l8 5-8 5z',
  retry: 'M13 5.5A5.5 5.5 0 1 0 13.5 9M13.5 2.5v3h-3',
  stop: 'M4 4h8v8H4z',
  warning: 'M8 2.5 14.2 13H1.8zM8 6.5v3M8 11.2h.01',
  outside: 'M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  pencil: 'M3 13l.8-3L10.5 3.3l2.2 2.2L6 12.2z',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  minus: 'M3 8h10',
  wide: 'M2 4v8M14 4v8M4.5 8h7M6.5 6l-2 2 2 2M9.5 6l2 2-2 2',
} as const;
export type IconName = keyof typeof PATHS;

/** A small icon beside a label; screen readers read only the label. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactElement {
  return <SvgIcon path={PATHS[name]} size={size} />;
}

/** A 16 by 16 line drawing, hidden from screen readers. */
export function SvgIcon({ path, size }: { path: string; size: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  );
}
