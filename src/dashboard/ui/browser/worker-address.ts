type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
};

/** Workers are files of the page itself. */
function own(address: string): string {
  if (!/^\/(?:streams-[\w-]+|service-worker)\.js$/.test(address))
    throw new TypeError(`${address} is not a worker of this page`);
  return address;
}

// Trusted types are not in the types of TypeScript's library yet; constructors take the trusted value as an address.
const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('manyhands-worker', { createScriptURL: own });

/** The address of a worker: the page may load no script by its address except through this policy, which knows only workers. */
export function workerAddress(address: string): string {
  return policy?.createScriptURL(address) ?? own(address);
}
