import { z } from 'zod';

/** The URL of a repository as git takes it: never an option, never with a password. */
export const RemoteUrl = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .refine((url) => !url.startsWith('-') && !/\p{Cc}/u.test(url), 'must not begin with a dash')
  .refine((url) => !/^[a-z+]+:\/\/[^/@]*:[^/@]*@/i.test(url), 'must not contain a password: use a credential helper')
  .refine((url) => !/^[a-z+]+::/i.test(url), 'must not name a helper program');

/** A property of a host that tasks and checks can require, such as `gpu`. */
export const Label = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/i, 'must be 1 to 40 letters, digits, dots, dashes or underscores');

/** The labels that something requires of the host that performs it. */
export const Labels = z.array(Label).max(20);

/** An address of a server without a path; over plain http only the same machine. */
const ServerAddress = z
  .string()
  .trim()
  .refine(
    (address) =>
      /^https:\/\/[\w.:[\]-]+\/?$/.test(address) ||
      /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\/?$/.test(address),
    'must be an address such as https://manyhands.example.com, without a path; plain http only on the same machine',
  );

/** How the machines of an installation exchange commits. */
export const HostsConfig = z
  .strictObject({
    git: RemoteUrl.optional().describe(
      'A bare git repository that the server and all hosts reach (a path, ssh:// or https://), for this purpose only. With it, attempts run on the hosts of the installation; see manyhands hosts. The word server stands for the repository of the server itself, behind its login: then no other server can take over.',
    ),
    address: ServerAddress.optional().describe(
      'With hosts.git: server, the address at which hosts reach the server: https, or plain http on the same machine.',
    ),
  })
  .refine(({ git, address }) => git !== 'server' || address !== undefined, {
    message: 'is needed where hosts.git is server: the address at which hosts reach the server',
    path: ['address'],
  })
  .prefault({})
  .describe(
    'Machines that run attempts, where the database is on PostgreSQL. Read only from your own settings file, not from that of a project.',
  );
