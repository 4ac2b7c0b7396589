import type { Risk } from './risk.ts';

const SENSITIVE =
  /(^|\/)(\.env(\.[\w-]+)?|\.npmrc|\.netrc|\.pypirc|id_(rsa|ed25519|ecdsa)|[\w.-]*\.(pem|key|p12|pfx|keystore)|credentials(\.\w+)?|secrets?\.(ya?ml|json|toml)|\.git-credentials|authorized_keys)$/i;
const HARMLESS = /\.(example|sample|template|dist)$/i;

export const sensitiveFile: Risk = {
  name: 'sensitive-file',
  title: 'Sensitive file changed',
  severity: 'high',
  find: ({ changed }) => {
    const files = changed.filter((path) => SENSITIVE.test(path) && !HARMLESS.test(path));
    return files.length === 0 ? undefined : `it changed ${files.slice(0, 5).join(', ')}`;
  },
};
