type Account = { env: Readonly<Record<string, string>>; configDir?: string | undefined };

/** The variables that select an account; its settings folder is passed in the vendor's own variable. */
export function accountVariables(account: Account, folderVariable: string): Record<string, string> {
  return { ...account.env, ...(account.configDir === undefined ? {} : { [folderVariable]: account.configDir }) };
}
