import type { Risk } from './risk.ts';

/** More output than this hides what matters. */
const MUCH_BYTES = 16 * 1024 * 1024;

export const excessiveOutput: Risk = {
  name: 'excessive-output',
  title: 'Excessive output',
  severity: 'low',
  find: ({ digest }) =>
    digest.outputBytes > MUCH_BYTES
      ? `it wrote ${Math.round(digest.outputBytes / 1024 / 1024)} MB of output`
      : undefined,
};
