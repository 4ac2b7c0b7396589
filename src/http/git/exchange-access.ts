import { clientRef } from '../../git/refs/client-refs.ts';
import type { AccessRole } from '../../operations/authorize.ts';
import type { PushCommand } from './push-commands.ts';

/** The roles that may fetch from and push to the exchange repository; all others are denied. */
export const GIT_ROLES: readonly AccessRole[] = ['operator'];

/** Why an instruction of a push is refused: only new refs of this client, each named for its commit. */
export function refusalOfPush({ old, new: to, ref }: PushCommand, client: string): string | undefined {
  if (/^0+$/.test(to)) return `${ref} cannot be deleted`;
  if (!/^0+$/.test(old)) return `${ref} exists and cannot be moved`;
  if (ref !== clientRef(client, to)) return `${ref} is not ${clientRef(client, '<commit>')}`;
  return undefined;
}
