import { clientRef } from '../../git/refs/client-refs.ts';
import type { AccessRole } from '../../operations/authorize.ts';
import type { OrderAccess } from '../../store/credentials/order-token.ts';
import type { PushCommand } from './push-commands.ts';

/** The roles that may fetch from and push to the exchange repository; all others are denied. */
export const GIT_ROLES: readonly AccessRole[] = ['operator'];

/** Who pushes: a client of a person, or the host that performs an order. */
export type Pusher = { client: string } | OrderAccess;

/** Why an instruction of a push is refused: only new refs of this client, each named for its commit, or of this attempt. */
export function refusalOfPush({ old, new: to, ref }: PushCommand, pusher: Pusher): string | undefined {
  if (/^0+$/.test(to)) return `${ref} cannot be deleted`;
  if (!/^0+$/.test(old)) return `${ref} exists and cannot be moved`;
  if ('order' in pusher) {
    if (/-check-/.test(pusher.order)) return 'A check adds nothing';
    const own = ['attempts', 'late'].map((kind) => `refs/manyhands/${kind}/${pusher.order}/`);
    return own.some((prefix) => ref.startsWith(prefix)) ? undefined : `${ref} is not below ${own[0]}`;
  }
  if (ref !== clientRef(pusher.client, to)) return `${ref} is not ${clientRef(pusher.client, '<commit>')}`;
  return undefined;
}
