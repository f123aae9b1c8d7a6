import { StewardError } from '@steward/contract'
import type { ApiAccess } from './api-call.ts'
import { listAccounts } from './platform-api.ts'

/** The account to work on: the one that is set, else the only one the login knows. */
export const findAccount = async (
  access: ApiAccess,
  configured: string | undefined,
): Promise<string> => {
  if (configured) return configured
  const accounts = await listAccounts(access)
  const [only] = accounts
  if (accounts.length === 1 && only !== undefined) return only.id
  const which = accounts.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw new StewardError('not_configured', {
    subject: 'the account',
    reason: `the login knows ${accounts.length === 0 ? 'none' : which}; set edge.accountId in settings.json or CLOUDFLARE_ACCOUNT_ID`,
  })
}
