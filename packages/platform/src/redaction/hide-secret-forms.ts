import { hideAddressCredentials } from './forms/address-credentials.ts'
import { hideAssignedSecrets } from './forms/assigned-secrets.ts'
import { hideCommandSecrets } from './forms/command-secrets.ts'
import { hideBareCredentials } from './forms/header-secrets.ts'
import { hideKeyBlocks } from './forms/key-blocks.ts'
import { hidePairedSecrets } from './forms/paired-secrets.ts'
import { createScan, type SecretScan } from './forms/secret-scan.ts'
import { hidePrefixedTokens } from './forms/token-forms.ts'
import { hideShapedTokens } from './forms/token-shapes.ts'
import { hideToldSecrets } from './forms/told-secrets.ts'

const SHORTEST_FORM_CHARS = 6

/**
 * A mask can change how the rest of a line is read, such as a cookie that held a semicolon. So the
 * result is read again until nothing changes; few texts hold a secret at all, and two times do for most.
 */
const MOST_PASSES = 6

/** Masks everything in a text that has the form of a secret, known to us or not. */
export const hideSecretForms = (text: string): string =>
  isPlainWord(text) || TIMESTAMP.test(text) ? text : hideAndCount(text).text

/** Every record has one, and no rule applies to it. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

const PLAIN_WORD_CHARS = 24
/** Shorter than any token, so it may have capital letters. */
const SHORT_WORD_CHARS = 14

/** Names of fields and tools, which are most of the strings of a record: no rule could apply to them. */
const isPlainWord = (text: string): boolean => {
  if (text.length > PLAIN_WORD_CHARS) return false
  const mask = text.length > SHORT_WORD_CHARS ? 0 : 0x20
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const lower = code | mask
    if ((lower < 0x61 || lower > 0x7a) && code !== 0x5f) return false
  }
  return true
}

/** As `hideSecretForms`, with the number of looks at characters that it took. */
export const hideAndCount = (
  text: string,
  startScan: typeof createScan = createScan,
): { text: string; looks: number } => {
  let shown = text
  let looks = 0
  if (text.length < SHORTEST_FORM_CHARS) return { text, looks }
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const scan = startScan(shown)
    hideOnce(scan)
    looks += scan.looks()
    const masked = scan.masked()
    if (masked === shown) break
    shown = masked
  }
  return { text: shown, looks }
}

const hideOnce = (scan: SecretScan): void => {
  hideKeyBlocks(scan)
  hidePrefixedTokens(scan)
  hideShapedTokens(scan)
  hideAssignedSecrets(scan)
  hidePairedSecrets(scan)
  hideToldSecrets(scan)
  hideBareCredentials(scan)
  hideAddressCredentials(scan)
  hideCommandSecrets(scan)
}
