import { z } from 'zod';
import { CommandText, Name, Seconds } from './scalars.ts';

const Browser = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Give the verifier a real browser.'),
    package: z.string().default('chrome-devtools-mcp@1.11.0').describe('The package of the tool server.'),
    args: z
      .array(z.string())
      .default(['--no-performance-crux', '--no-usage-statistics'])
      .describe('Arguments of the tool server.'),
    name: Name.default('chrome-devtools').describe('The name under which agents see it.'),
    command: z.string().optional().describe('The program that starts it, instead of npx with the package.'),
  })
  .prefault({});

/** How another agent verifies a feature. */
export const VerifyConfig = z
  .strictObject({
    disabled: z
      .boolean()
      .default(false)
      .describe('Land features without verification by another agent; checks still apply.'),
    maxAttempts: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(3)
      .describe('Maximum verifications of a feature; the last one decides.'),
    in: z
      .enum(['candidate', 'checkout'])
      .default('candidate')
      .describe('candidate: before it lands, on the merged tree; checkout: after it landed, in your own checkout.'),
    delayMs: z
      .number()
      .int()
      .nonnegative()
      .max(3_600_000)
      .default(5_000)
      .describe('With in: checkout, how long to wait until your running application has reloaded.'),
    start: CommandText.optional().describe('Starts the application for the verifier; PORT is the port to listen on.'),
    startSeconds: Seconds.default(60).describe('Time limit for the application to answer.'),
    appUrl: z.string().optional().describe('The URL of the application; {port} is replaced by the leased port.'),
    turns: z.number().int().positive().default(20).describe('Maximum turns of a verification.'),
    agent: z
      .string()
      .optional()
      .describe('The agent that verifies; default: one that did not implement, if there is one.'),
    tools: z
      .array(z.string())
      .default(['Bash', 'Read', 'Write'])
      .describe('Tools of the verifier, in the syntax of the agent; what it writes is discarded.'),
    browser: Browser.describe('A browser for the verifier.'),
  })
  .prefault({});
