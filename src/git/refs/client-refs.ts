import { createHash } from 'node:crypto';

/** Refs of clients are below the hash of their token, so that one cannot take the names of another. */
export function clientId(token: string): string {
  return createHash('sha256').update(`client ${token}`).digest('hex').slice(0, 16);
}

/** The ref of a commit that a client pushed; `*` stands for any client. */
export function clientRef(client: string, commit: string): string {
  return `refs/manyhands/clients/${client}/${commit}`;
}
