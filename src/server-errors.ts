/** What can go wrong between this program and a server that it logged in to, or the repository of a project; rows of ERRORS. */
export const SERVER_ERRORS = {
  SERVER_URL_INVALID: {
    exit: 3,
    http: 422,
    hint: 'Name the server by its address, with https and without a path, in MANYHANDS_SERVER or: manyhands login <url>. Over plain http only this machine can be reached, for example through an SSH tunnel.',
  },
  SERVER_UNREACHABLE: {
    exit: 3,
    http: 502,
    hint: 'Check the network and the address, and whether manyhands serve runs there. To use this machine instead: manyhands logout, or an empty MANYHANDS_SERVER.',
  },
  SERVER_UNTRUSTED: {
    exit: 3,
    http: 502,
    hint: 'Nothing was sent. Use the name and the port for which the server has a certificate, for example those of the proxy before it.',
  },
  SERVER_UNKNOWN: {
    exit: 3,
    http: 502,
    hint: 'Check the address: it is the one at which the dashboard is opened in a browser.',
  },
  SERVER_LOGIN: {
    exit: 3,
    http: 401,
    hint: 'Get a token with manyhands token on the machine of the server, then log in: manyhands login <url>',
  },
  SERVER_VERSION: {
    exit: 3,
    http: 409,
    hint: 'Use versions that are at most one release apart: upgrade the older one. See manyhands upgrade.',
  },
  NOT_ON_SERVER: {
    exit: 3,
    http: 422,
    hint: 'Run it on the machine of the server. To use the data directory of this machine: manyhands logout, or an empty MANYHANDS_SERVER.',
  },
  PROJECT_UNKNOWN: {
    exit: 3,
    http: 404,
    hint: 'List the projects of the server: manyhands project ls. Add one by the URL of its repository: manyhands project add <url>',
  },
  PUSH_REFUSED: {
    exit: 3,
    http: 403,
    hint: 'Only new refs of the sender, each named for its commit, can be added to the repository of the server.',
  },
  REMOTE_UNREADABLE: {
    exit: 3,
    http: 502,
    hint: 'Check that the server reaches the repository with its own credentials: git ls-remote <url>',
  },
  REMOTE_REFUSED: {
    exit: 3,
    http: 403,
    hint: 'Use 127.0.0.1 and an SSH tunnel. To accept connections from other machines, set server.allowRemote to true.',
  },
} as const;
