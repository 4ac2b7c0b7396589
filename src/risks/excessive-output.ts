import type { Risk } from './risk.ts';

export const excessiveOutput: Risk = {
  name: 'excessive-output',
  title: 'Excessive output',
  severity: 'low',
  find: ({ digest, softOutputBytes }) =>
    digest.outputBytes > softOutputBytes
      ? `it wrote ${digest.outputBytes} bytes of output, and ${softOutputBytes} are much`
      : undefined,
};
