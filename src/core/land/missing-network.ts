/** What programs print when a name has no address, or nothing answers at one. */
const UNREACHABLE = new RegExp(
  [
    'ENOTFOUND|EAI_AGAIN|EAI_NONAME|ENETUNREACH|EHOSTUNREACH|ENETDOWN|ECONNREFUSED',
    'getaddrinfo|gaierror|UnknownHost|no such host|name does not resolve|nodename nor servname',
    '(could not|couldn.t|cannot|can.t|unable to|failed to) (resolve|look ?up|connect|reach|establish)',
    'name or service not known|temporary failure in name resolution|network is (unreachable|down)',
    'connection refused|no route to host|max retries exceeded|fetch failed|dial tcp|ConnectError',
    'curl: \\((5|6|7|56|97)\\)|is not listed; network\\.allow',
  ].join('|'),
  'i',
);

type CheckResult = { verdict: string; summary: string; output?: string | undefined };

/** The result of a check that had only its own loopback, with what to do where its output shows that it needs more. */
export function withNetworkHint<R extends CheckResult>(result: R): R {
  if (result.verdict !== 'fail' || !UNREACHABLE.test(result.output ?? '')) return result;
  return { ...result, summary: `${result.summary}; ${NETWORK_HINT}` };
}

/** Whether a check failed because it has no network, as far as its output shows. */
export function needsNetwork({ summary }: Pick<CheckResult, 'summary'>): boolean {
  return summary.includes(NETWORK_HINT);
}

const NETWORK_HINT =
  'it needs network access, and checks have only their own loopback: name its hosts in network.allow of your own settings';
