import type { AgentConfig } from '../../schema/config/agent.ts';
import { isOfFamily, modelsOf } from '../models/tier.ts';

/** A login that may be used now; `closed` names families of models that it may not use. */
export type Free = { kind: 'free'; name: string | undefined; closed: string[] } | { kind: 'resting'; until: number };

/** The name under which an account rests and spends. */
export function accountName(agent: string, account: string | null | undefined): string {
  return account == null ? agent : `${agent}/${account}`;
}

/** The name under which an account, or only a family of its models, rests. */
export function restName(account: string, family: string | undefined): string {
  return family === undefined ? account : `${account}#${family}`;
}

/** The first login that need not rest, beginning with `first`: one that is open for all models before one that is open for some. */
export function freeAccount(
  { agent, config, first }: { agent: string; config: AgentConfig | undefined; first?: string },
  resting: Readonly<Record<string, number>>,
  now: number,
): Free {
  const own = Object.entries(config?.accounts ?? {}).filter(([, { profile }]) => profile === undefined);
  const names = Object.keys(config?.accounts ?? {});
  const wholeAgent = resting[agent] ?? 0;
  if (own.length > 0 && wholeAgent > now) return { kind: 'resting', until: wholeAgent };
  let soonest = Number.POSITIVE_INFINITY;
  let partly: Free | undefined;
  const order = own.length === 0 ? [undefined, ...names] : names;
  for (const name of first === undefined ? order : [first, ...order.filter((other) => other !== first)]) {
    const { until, closed } = restOf(accountName(agent, name), { config, resting, now });
    if (until > now) soonest = Math.min(soonest, until);
    else if (closed.length === 0) return { kind: 'free', name, closed };
    else partly ??= { kind: 'free', name, closed };
  }
  return partly ?? { kind: 'resting', until: soonest };
}

type Resting = { config: AgentConfig | undefined; resting: Readonly<Record<string, number>>; now: number };

/** Until when an account is closed as a whole: by its own rest, or because every model that it has is of a resting family. */
function restOf(account: string, { config, resting, now }: Resting): { until: number; closed: string[] } {
  const whole = resting[account] ?? 0;
  const families = Object.entries(resting).flatMap(([name, until]) =>
    name.startsWith(`${account}#`) && until > now ? [{ family: name.slice(account.length + 1), until }] : [],
  );
  if (whole > now || families.length === 0) return { until: whole, closed: [] };
  const rests = (modelsOf(config) ?? []).map((model) =>
    Math.max(0, ...families.flatMap(({ family, until }) => (isOfFamily(model, family) ? [until] : []))),
  );
  const until = rests.length === 0 ? 0 : Math.min(...rests);
  return { until, closed: families.map(({ family }) => family) };
}
