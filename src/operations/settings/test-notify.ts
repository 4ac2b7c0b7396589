import { z } from 'zod';
import { loadConfig } from '../../config/load.ts';
import { deliver } from '../../notify/deliver.ts';
import { operation } from '../operation.ts';

/** Sends a test message to every receiver in the user's own settings. */
export const testNotify = operation({
  name: 'test-notify',
  where: 'anywhere',
  summary: 'Send a test message to every receiver under notify in your own settings',
  http: 'POST /api/notify/test',
  allow: ['operator'],
  input: z.object({}),
  output: z.array(
    z.object({
      kind: z.string(),
      host: z.string(),
      ok: z.boolean(),
      detail: z.string().nullable().describe('Why it did not arrive.'),
    }),
  ),
  tool: { none: 'It sends messages to the devices of a person.' },
  run: async ({ env, world }) => {
    const { notify } = await loadConfig({ env });
    return Promise.all(
      notify.map(async (target) => {
        const key = `test ${world.token()}`;
        const about = { reason: 'needs-you' as const, run: '', task: null, path: '/' };
        const message = { key, ...about, title: 'Test from Manyhands', text: 'Messages arrive here.' };
        const result = await deliver(target, message, '');
        const { host } = new URL(target.url);
        return { kind: target.kind, host, ok: result.ok, detail: result.ok ? null : result.detail };
      }),
    );
  },
});
