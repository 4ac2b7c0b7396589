import { covered } from './safety-rows.ts';

/** An attack on the network from inside an attempt: a shell command that succeeds if it reached what it must not. */
type NetworkAttack = { name: string; command: string };

const CANARY = 'canary-answer';
const gets = (name: string, curl: string): NetworkAttack => ({
  name,
  command: `curl -s -m 5 ${curl} | grep -qs ${CANARY}`,
});
/** Sends bytes to the proxy, and looks for the answer of a server. */
const sends = (name: string, bytes: string, answer = CANARY): NetworkAttack => ({
  name,
  command: `printf '${bytes}' "$CLOSED" "$CLOSED" | timeout 5 perl -e 'socket(S,2,1,0);connect(S,pack("S n N x8",2,61080,0x7f000001)) or exit;undef $/;$b=<STDIN>;syswrite S,$b;while(sysread S,$x,4096){print $x}' | grep -qs ${answer}`,
});

/** $PORT of this machine is listed, $CLOSED and $RAW are not; $NAME is listed by name and has only private addresses. */
export const NETWORK_CASES = [
  ...covered('this machine', [
    gets('reaches a listener on loopback', '--noproxy "*" "http://127.0.0.1:$CLOSED/"'),
    gets('reaches a listener on loopback by its name', '--noproxy "*" "http://localhost:$CLOSED/"'),
    gets('reaches a listener on loopback through the proxy', '--noproxy "" "http://127.0.0.1:$CLOSED/"'),
    gets('reaches a listener by another spelling of its address', '--noproxy "" "http://2130706433:$CLOSED/"'),
    gets('reaches a listener by a short address', '--noproxy "" "http://127.1:$CLOSED/"'),
    gets('reaches a listener by an IPv6 address', '--noproxy "" "http://[::ffff:127.0.0.1]:$CLOSED/"'),
    gets('reaches a listener by the unspecified address', '--noproxy "" "http://0.0.0.0:$CLOSED/"'),
    gets('reaches a listener by the name of the machine', '--noproxy "" "http://$NAME:$CLOSED/"'),
    gets('reaches a listener through a tunnel', '-p --noproxy "" "http://127.0.0.1:$CLOSED/"'),
  ]),
  ...covered('proxy', [gets('reaches a listed name at a private address', '--noproxy "" "http://$NAME/"')]),
  ...covered('this machine', [
    gets('reaches the listed port of another address', '--noproxy "" "http://127.0.0.2:$PORT/"'),
  ]),
  ...covered('proxy', [
    gets('claims another host in a header', '--noproxy "" -H "Host: 127.0.0.1:$PORT" "http://127.0.0.1:$CLOSED/"'),
    gets('hides the host behind a login', '--noproxy "" "http://127.0.0.1:$PORT@127.0.0.1:$CLOSED/"'),
  ]),
  ...covered('this machine', [
    gets('reaches a listener by an octal address', '--noproxy "" "http://0177.0.0.1:$CLOSED/"'),
    gets('reaches a listener by a hexadecimal address', '--noproxy "" "http://0x7f000001:$CLOSED/"'),
    gets('reaches a listener by the IPv6 loopback', '--noproxy "" "http://[::1]:$CLOSED/"'),
    gets('reaches a listener by a translated address', '--noproxy "" "http://[64:ff9b::7f00:1]:$CLOSED/"'),
    gets('reaches a listener by a name below localhost', '--noproxy "" "http://x.localhost:$CLOSED/"'),
    gets('reaches a listener by its name with a dot', '--noproxy "" "http://localhost.:$CLOSED/"'),
    gets('reaches a listener by wide digits', '--noproxy "" "http://１２７.０.０.１:$CLOSED/"'),
  ]),
  ...covered('proxy', [
    gets('follows a redirection to a listener', '--noproxy "" -L "http://127.0.0.1:$PORT/redirect?to=$CLOSED"'),
    gets(
      'upgrades to a websocket of a listener',
      '--noproxy "" -H "Connection: Upgrade" -H "Upgrade: websocket" "http://127.0.0.1:$CLOSED/"',
    ),
    gets('speaks HTTP/2 to a listener', '--noproxy "" --http2-prior-knowledge "http://127.0.0.1:$CLOSED/"'),
    gets('uses the proxy as one of SOCKS', '-x socks5h://127.0.0.1:61080 "http://127.0.0.1:$CLOSED/"'),
  ]),
  ...covered('other machines', [
    { name: 'reaches a literal address', command: 'curl -s -m 5 --noproxy "*" -o /dev/null http://93.184.216.34/' },
    { name: 'reaches a literal address through the proxy', command: 'curl -sf -m 5 http://93.184.216.34/' },
    { name: 'reaches an unlisted host', command: 'curl -sf -m 5 https://unlisted.example.com/' },
  ]),
  ...covered('this machine', [
    { name: 'reaches the metadata of a cloud', command: 'curl -sf -m 5 http://169.254.169.254/latest/meta-data/' },
    { name: 'reaches the metadata by name', command: 'curl -sf -m 5 http://metadata.google.internal/' },
  ]),
  ...covered('other machines', [
    { name: 'resolves a name', command: 'getent hosts example.com' },
    {
      name: 'asks a resolver',
      command: `perl -e 'socket(S,2,2,0);exit !connect(S,pack("S n C4 x8",2,53,8,8,8,8))'`,
    },
  ]),
  ...covered('this machine', [
    {
      name: 'sees an interface of the machine',
      command: "grep -v -e Inter -e face -e ' lo:' /proc/net/dev | grep -q .",
    },
    {
      name: 'sees the connections of the machine',
      command: 'awk "NR>1" /proc/net/tcp | grep -qi "$(printf %04X "$CLOSED")"',
    },
  ]),
  ...covered('proxy', [
    {
      name: 'tunnels to the port of SSH',
      command: 'curl -s -m 5 -p --noproxy "" "http://127.0.0.1:22/" | grep -q SSH',
    },
    {
      name: 'tunnels to a raw port',
      command: 'curl -s --http0.9 -m 5 -p --noproxy "" "http://127.0.0.1:$RAW/" | grep -q SSH',
    },
    sends(
      'smuggles a request behind a length',
      'POST http://127.0.0.1:%s/ HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nGET http://127.0.0.1:%s/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n',
    ),
    sends(
      'continues a connection to another port',
      'GET http://127.0.0.1:61080/x HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nGET http://127.0.0.1:%s/ HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n',
    ),
    sends(
      'hides a port behind a login in a tunnel',
      'CONNECT hold.manyhands.invalid:1@127.0.0.1:%s HTTP/1.1\\r\\nX: %s\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n',
    ),
    sends(
      'uses the connection that only shows that it exists',
      'CONNECT hold.manyhands.invalid:1 HTTP/1.1\\r\\nX: 1\\r\\n\\r\\nGET http://127.0.0.1:%s/ HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n',
    ),
    sends('names another protocol', 'GET ftp://127.0.0.1:%s/ HTTP/1.1\\r\\nX: %s\\r\\n\\r\\n'),
    sends(
      'claims two lengths',
      'POST http://127.0.0.1:61080/ HTTP/1.1\\r\\nContent-Length: 0\\r\\nContent-Length: 99\\r\\n\\r\\nGET http://127.0.0.1:%s/ HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n',
    ),
    sends('sends a path to the machine itself', 'GET /any HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nX: %s\\r\\n\\r\\n'),
    sends(
      'connects by CONNECT in lower case',
      'connect 127.0.0.1:%s HTTP/1.1\\r\\nX: %s\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n',
    ),
    sends(
      'sends a line break in the destination',
      'CONNECT 127.0.0.1:%s\\r\\nX: %s HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\n\\r\\n',
    ),
  ]),
  ...covered('other machines', [
    {
      name: "uses another attempt's proxy",
      command: 'ls -d "$MANYHANDS_HOME/network/other-1-1" || ls /run/manyhands-network/../other-1-1',
    },
  ]),
  ...covered('proxy', [
    {
      name: 'reaches the control of the proxy',
      command:
        'find / -xdev -name control.sock 2>/dev/null | grep -q . || ls /run/manyhands-network | grep -qv "^proxy.sock$"',
    },
  ]),
  ...covered('other machines', [
    {
      name: 'sends packets without a connection',
      command: `perl -e 'socket(S,2,2,0);exit !defined send(S,"x",0,pack("S n C4 x8",2,53,192,0,2,1))'`,
    },
  ]),
  ...covered('proxy', [
    {
      name: 'ends the proxy by a request that it cannot pass on',
      command:
        'for h in "A: $(printf "\\001")" "Upgrade: x" "Transfer-Encoding: x" "Connection: host"; do curl -s -m 2 -H "$h" -H "Connection: Upgrade" "http://127.0.0.1:$PORT/%zz" >/dev/null; done; ! curl -s -m 5 "http://127.0.0.1:$PORT/alive" | grep -q canary',
    },
    {
      name: 'replaces the socket of its proxy',
      command: 'rm -f /run/manyhands-network/proxy.sock || touch /run/manyhands-network/other.sock',
    },
  ]),
  ...covered('this machine', [
    {
      name: 'leaves its network for that of the first process',
      command: 'nsenter -t 1 -n curl -s -m 3 "http://127.0.0.1:$CLOSED/" | grep -q canary',
    },
    {
      name: 'creates an interface',
      command: 'unshare -rn ip link add escape0 type dummy && ip link show escape0',
    },
    {
      name: 'reaches an abstract socket of the machine',
      command: 'awk "NR>1" /proc/net/unix | grep -q @',
    },
  ]),
];
