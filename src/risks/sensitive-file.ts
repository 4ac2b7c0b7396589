import type { Risk } from './risk.ts';

const SENSITIVE =
  /(^|\/)(\.env(\.[\w-]+)?|\.npmrc|\.netrc|\.pypirc|id_(rsa|ed25519|ecdsa)|[\w.-]*\.(pem|key|p12|pfx|keystore)|credentials(\.\w+)?|secrets?\.(ya?ml|json|toml)|\.git-credentials|authorized_keys)$/i;
/** What continuous integration runs, with its secrets. */
const CI =
  /(^|\/)(\.github\/(workflows|actions)\/.+|\.gitlab-ci[\w.-]*\.ya?ml|\.circleci\/.+|\.buildkite\/.+|\.drone\.ya?ml|\.travis\.ya?ml|\.woodpecker(\.ya?ml|\/.+)|azure-pipelines[\w.-]*\.ya?ml|bitbucket-pipelines\.ya?ml|appveyor\.ya?ml|Jenkinsfile[\w.-]*)$/i;
const HARMLESS = /\.(example|sample|template|dist)$/i;

export const sensitiveFile: Risk = {
  name: 'sensitive-file',
  title: 'Sensitive file changed',
  severity: 'high',
  find: ({ changed }) => {
    const files = changed.filter((path) => (SENSITIVE.test(path) || CI.test(path)) && !HARMLESS.test(path));
    return files.length === 0 ? undefined : `it changed ${files.slice(0, 5).join(', ')}`;
  },
};
