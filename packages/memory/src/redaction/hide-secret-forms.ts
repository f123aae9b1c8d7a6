import { hideAddressCredentials } from './forms/address-credentials.ts'
import { hideAssignedSecrets } from './forms/assigned-secrets.ts'
import { hideCommandSecrets } from './forms/command-secrets.ts'
import { hideBareCredentials } from './forms/header-secrets.ts'
import { hideKeyBlocks } from './forms/key-blocks.ts'
import { createScan } from './forms/secret-scan.ts'
import { hidePrefixedTokens, hideShapedTokens } from './forms/token-forms.ts'

const SHORTEST_FORM_CHARS = 6

/** Masks everything in a text that has the form of a secret, known to us or not. */
export const hideSecretForms = (text: string): string => hideAndCount(text).text

/** As `hideSecretForms`, with the number of looks at characters that it took. */
export const hideAndCount = (text: string): { text: string; looks: number } => {
  if (text.length < SHORTEST_FORM_CHARS) return { text, looks: 0 }
  const scan = createScan(text)
  hideKeyBlocks(scan)
  hidePrefixedTokens(scan)
  hideShapedTokens(scan)
  hideAssignedSecrets(scan)
  hideBareCredentials(scan)
  hideAddressCredentials(scan)
  hideCommandSecrets(scan)
  return { text: scan.masked(), looks: scan.looks() }
}
