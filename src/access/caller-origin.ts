import { userInfo } from 'node:os';
import { relative, sep } from 'node:path';
import { AppError } from '../errors.ts';
import { type Home, resolveHome } from '../home.ts';
import {
  hasAttemptToken,
  holderMembership,
  isAttemptToken,
  membershipOf,
  type TcpConnection,
} from '../process/launch-membership.ts';
import type { Peer } from '../process/socket-peer.ts';
import type { Origin } from '../schema/actor.ts';

/** The origin of calls of this process: its user, or the agent of the attempt that started it, whatever its environment says. */
export function originOfProcess(env: NodeJS.ProcessEnv, home: Home): Origin {
  if (isAttemptToken(env.MANYHANDS_TOKEN)) return agentOrigin(env.MANYHANDS_ATTEMPT ?? '');
  const membership = membershipOf(process.pid, home.root);
  if (membership.kind === 'inside') return agentOrigin(launchName(home, membership.folder));
  return { actor: { kind: 'person', name: userName() }, via: 'cli' };
}

/** The origin of a request of another process: what it claims, unless it descends from an attempt of this data directory. */
export function originOfPeer(home: Home, claimed: Origin, peer: Peer): Origin {
  if (peer.kind !== 'process' || claimed.actor.kind === 'agent') return claimed;
  const membership = membershipOf(peer.pid, home.root, peer.connectedBefore);
  switch (membership.kind) {
    case 'outside':
      return hasAttemptToken(peer.pid) ? { ...agentOrigin(''), via: claimed.via } : claimed;
    case 'inside':
      return { ...agentOrigin(launchName(home, membership.folder)), via: claimed.via };
    case 'unknown':
      throw unidentified();
  }
}

/** The origin of an HTTP request if it was sent by a program of an attempt; undefined for any other sender. */
export function agentOverHttp(home: Home, connection: TcpConnection): Origin | undefined {
  const membership = holderMembership(connection, home.root);
  if (membership.kind === 'outside') return undefined;
  if (membership.kind === 'unknown') throw unidentified();
  return { ...agentOrigin(launchName(home, membership.folder)), via: 'http' };
}

/** Refuses where this process was started by an agent. */
export function requirePerson(env: NodeJS.ProcessEnv, message: string): void {
  if (originOfProcess(env, resolveHome(env)).actor.kind === 'agent') throw new AppError('CALLED_BY_AGENT', message);
}

function unidentified(): AppError {
  return new AppError('CALLED_BY_AGENT', 'The process that sent this request has ended, so it is not answered');
}

function agentOrigin(attempt: string): Origin {
  return { actor: { kind: 'agent', attempt }, via: 'cli' };
}

/** The id of an attempt; of a check or a set-up command the name of its folder. */
function launchName(home: Home, folder: string): string {
  const path = relative(home.attempts, folder);
  return path.startsWith('..') ? relative(home.root, folder) : (path.split(sep, 1)[0] ?? path);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Safe: an account without a name on this machine, as in some containers, is identified by its number.
    return String(process.getuid?.() ?? 'unknown');
  }
}
