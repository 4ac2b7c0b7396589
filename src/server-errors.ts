/** What can go wrong between servers, their clients and hosts, and the repositories of projects; rows of ERRORS. */
export const SERVER_ERRORS = {
  NOT_LEADER: { exit: 3, http: 409, hint: 'Run the command on the server that leads, or wait until it has ended.' },
  HOST_TAKEN: { exit: 3, http: 409, hint: 'Choose another --name, or stop that process: manyhands hosts' },
  HOST_UNKNOWN: { exit: 3, http: 404, hint: 'List them: manyhands hosts' },
  HOST_RELEASE: { exit: 3, http: 409, hint: 'Install the release of the server here, or update the server.' },
  HOSTS_IN_USE: { exit: 3, http: 409, hint: 'Let each host finish, then stop it: manyhands host drain <name>' },
  HOST_LOST: { exit: 3, http: 409, hint: 'Start it again. Its work is saved: manyhands salvage' },
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
  LOGIN_NEEDED: {
    exit: 3,
    http: 401,
    hint: 'Open the link that manyhands serve prints. Programs send the token that manyhands token prints.',
  },
  LOGIN_REFUSED: {
    exit: 3,
    http: 401,
    hint: 'A link is valid once and for a few minutes. Print a new one: manyhands serve',
  },
  LOGIN_THROTTLED: {
    exit: 3,
    http: 429,
    hint: 'Wait a minute, then use the link that manyhands serve prints or the token that manyhands token prints.',
  },
  VIEWERS_ONLY_LOOK: {
    exit: 3,
    http: 403,
    hint: 'Viewers have read-only access. Log in with the operator token: manyhands token',
  },
  REQUEST_FOREIGN: {
    exit: 3,
    http: 403,
    hint: 'Open the address that manyhands serve prints. To use another host name of this machine, set server.names.',
  },
  REQUEST_INVALID: { exit: 3, http: 400, hint: 'The parameters of each route are listed at /api/docs.' },
  REQUEST_TOO_LARGE: { exit: 3, http: 413, hint: 'Send a smaller request.' },
  REQUEST_NOT_JSON: { exit: 3, http: 415, hint: 'Send JSON with content-type: application/json.' },
  ROUTE_UNKNOWN: { exit: 3, http: 404, hint: 'All routes are listed at /api/docs.' },
  METHOD_UNKNOWN: { exit: 3, http: 405, hint: 'The methods of each route are listed at /api/docs.' },
  PORT_TAKEN: { exit: 3, http: 409, hint: 'Choose another port with --port, or omit --port to use a free one.' },
} as const;
