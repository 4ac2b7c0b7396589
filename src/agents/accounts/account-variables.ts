type Account = { env: Readonly<Record<string, string>>; configDir?: string | undefined };

/** The variables by which a program takes up an account; its folder goes into the one that the vendor has for it. */
export function accountVariables(account: Account, folderVariable: string): Record<string, string> {
  return { ...account.env, ...(account.configDir === undefined ? {} : { [folderVariable]: account.configDir }) };
}
