import { ADDRESS_SECRETS } from './address-secrets.ts'
import { COMMAND_SECRETS } from './command-secrets.ts'
import { FILE_SECRETS } from './file-secrets.ts'
import { HEADER_SECRETS } from './header-secrets.ts'
import { createSecretParts } from './make-secret.ts'
import type { SecretRow } from './secret-row.ts'

export interface CorpusSecret {
  id: string
  text: string
  /** What must not be readable any more. */
  secrets: readonly string[]
}

const cases = (group: string, rows: readonly SecretRow[]): readonly CorpusSecret[] =>
  rows.map(([name, make, put]) => {
    const id = `${group}: ${name}`
    const made = make(createSecretParts(id))
    const secrets = typeof made === 'string' ? [made] : made
    return { id, text: put(...secrets), secrets }
  })

export const WRITTEN_CASES: readonly CorpusSecret[] = [
  ...cases('command', COMMAND_SECRETS),
  ...cases('header', HEADER_SECRETS),
  ...cases('address', ADDRESS_SECRETS),
  ...cases('file', FILE_SECRETS),
]
