import type { AgentConfig } from '../../schema/config/agent.ts';
import type { Config } from '../../schema/config.ts';
import type { AccountEvent } from '../../schema/event.ts';
import { isOfFamily, modelsOf } from '../models/tier.ts';

/** A login that is available now; `closed` lists its rate-limited model families. */
export type FreeAccount =
  | { kind: 'free'; name: string | undefined; closed: string[] }
  | { kind: 'rate-limited'; until: number };

/** The name of an account in limits and spending. */
export function accountName(agent: string, account: string | null | undefined): string {
  return account == null ? agent : `${agent}/${account}`;
}

/** The account that an attempt is limited by: a login that the settings give no values for belongs to the host that performed it. */
export function limitedAccount(config: Pick<Config, 'agents'>, { agent, account, host }: LoginOfAttempt): string {
  const name = accountName(agent, account);
  const { env = {}, accounts = {} } = config.agents[agent] ?? {};
  const values = account === null ? env : (accounts[account]?.env ?? {});
  return host === undefined || Object.keys(values).length > 0 ? name : `${name}@${host}`;
}

type LoginOfAttempt = { agent: string; account: string | null; host?: string };

/** The rate limits of the logins of one host, by account. */
export function limitsOfHost(limits: Readonly<Record<string, number>>, host: string): Record<string, number> {
  const found = Object.entries(limits).flatMap(([name, until]): [string, number][] => {
    const [account = '', rest] = name.split('@');
    const [of, family] = rest?.split('#') ?? [];
    return of === host ? [[rateLimitName(account, family), until]] : [];
  });
  return Object.fromEntries(found);
}

/** Until when accounts, and families of their models, are rate-limited: changed by an event of the account. */
export function evolveRateLimits(
  limits: Record<string, number>,
  account: string,
  { data }: AccountEvent,
): Record<string, number> {
  const name = rateLimitName(account, data.family);
  limits[name] = Math.max(limits[name] ?? 0, data.until);
  return limits;
}

/** The name under which the limit of an account, or of a family of its models, is stored. */
export function rateLimitName(account: string, family: string | undefined): string {
  return family === undefined ? account : `${account}#${family}`;
}

/** The first login that is not rate-limited, starting with `first`; one without limits comes before one with rate-limited model families. */
export function freeAccount(
  { agent, config, first }: { agent: string; config: AgentConfig | undefined; first?: string },
  rateLimited: Readonly<Record<string, number>>,
  now: number,
): FreeAccount {
  const own = Object.entries(config?.accounts ?? {}).filter(([, { profile }]) => profile === undefined);
  const names = Object.keys(config?.accounts ?? {});
  const wholeAgent = rateLimited[agent] ?? 0;
  if (own.length > 0 && wholeAgent > now) return { kind: 'rate-limited', until: wholeAgent };
  let soonest = Number.POSITIVE_INFINITY;
  let partlyFree: FreeAccount | undefined;
  const order = own.length === 0 ? [undefined, ...names] : names;
  for (const name of first === undefined ? order : [first, ...order.filter((other) => other !== first)]) {
    const { until, closed } = limitOf(accountName(agent, name), { config, rateLimited, now });
    if (until > now) soonest = Math.min(soonest, until);
    else if (closed.length === 0) return { kind: 'free', name, closed };
    else partlyFree ??= { kind: 'free', name, closed };
  }
  return partlyFree ?? { kind: 'rate-limited', until: soonest };
}

/** Records the limit of a provider: for the model family that it named, if the attempt used one of its models; otherwise for the account. */
export function limitAccount(
  { until, reason, family }: { until: number; reason: string; family: string | undefined },
  model: string | undefined,
): AccountEvent[] {
  const isFamily = family !== undefined && isOfFamily(model, family);
  return [{ type: 'account.rested', data: { until, reason, ...(isFamily ? { family } : {}) } }];
}

type AccountLimits = { config: AgentConfig | undefined; rateLimited: Readonly<Record<string, number>>; now: number };

/** Until when a whole account is rate-limited: by its own limit, or because every model of it belongs to a limited family. */
export function limitOf(
  account: string,
  { config, rateLimited, now }: AccountLimits,
): { until: number; closed: string[] } {
  const whole = rateLimited[account] ?? 0;
  const families = Object.entries(rateLimited).flatMap(([name, until]) =>
    name.startsWith(`${account}#`) && until > now ? [{ family: name.slice(account.length + 1), until }] : [],
  );
  if (whole > now || families.length === 0) return { until: whole, closed: [] };
  const limits = (modelsOf(config) ?? []).map((model) =>
    Math.max(0, ...families.flatMap(({ family, until }) => (isOfFamily(model, family) ? [until] : []))),
  );
  const until = limits.length === 0 ? 0 : Math.min(...limits);
  return { until, closed: families.map(({ family }) => family) };
}
