import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { removeShare } from '../../store/credentials/shares.ts';
import { operation } from '../operation.ts';

/** Ends a share: its link, its token and every login by them are refused from now on. */
export const revokeShare = operation({
  name: 'revoke-share',
  where: 'anywhere',
  summary: 'Revoke a share, with every login by it',
  http: 'DELETE /api/shares/{share}',
  allow: ['operator'],
  tool: { none: 'A person decides who has access.' },
  reserved: () => 'revoking shares',
  input: z.object({ share: z.string() }),
  output: z.object({ share: z.string() }),
  run: async ({ home, world }, { share }) => {
    if (!(await removeShare(home.server, share, world)))
      throw new AppError('INPUT_INVALID', `There is no share ${share}; manyhands share --list lists them`, { share });
    return { share };
  },
});
