import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import type { Home } from '../home/home.ts'
import { storageErrorOf } from '../storage-error.ts'

/** The person's security files: the policy, and rules in natural language. */
export const SECURITY_FILES = { policy: 'PATTERNS.yaml', rules: 'SECURITY_RULES.md' } as const
export type SecurityFile = keyof typeof SECURITY_FILES

export interface SecurityText {
  /** Undefined if the file is missing. */
  text: string | undefined
  /** Changes with the text. */
  revision: string
}

export const securityFilePath = ({ user }: Pick<Home, 'user'>, file: SecurityFile): string =>
  join(user.security, SECURITY_FILES[file])

/** Reads a whole file; an excessively long one is refused. */
export const readSecurityText = async (
  home: Pick<Home, 'user'>,
  file: SecurityFile,
): Promise<SecurityText> => {
  const path = securityFilePath(home, file)
  try {
    const { size } = await stat(path)
    if (size > LIMITS.policyBytes) {
      const reason = `it is ${size} bytes; the limit is ${LIMITS.policyBytes}`
      throw new StewardError('rejected_content', { subject: SECURITY_FILES[file], reason })
    }
    return withRevision(await readFile(path, 'utf8'))
  } catch (thrown) {
    if (isMissing(thrown)) return withRevision(undefined)
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
}

export const withRevision = (text: string | undefined): SecurityText => ({
  text,
  revision:
    text === undefined ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 16),
})
