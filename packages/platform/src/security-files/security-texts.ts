import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import type { Home } from '../home/home.ts'
import { storageErrorOf } from '../storage-error.ts'

/** What a person says about security: the policy, and rules in natural language. */
export const SECURITY_FILES = { policy: 'PATTERNS.yaml', rules: 'SECURITY_RULES.md' } as const
export type SecurityFile = keyof typeof SECURITY_FILES

export interface SecurityText {
  /** Nothing when there is no such file. */
  text: string | undefined
  /** Changes whenever the text does. */
  revision: string
}

export const securityFilePath = ({ user }: Pick<Home, 'user'>, file: SecurityFile): string =>
  join(user.security, SECURITY_FILES[file])

/** Reads a file whole. One that is longer than a person would write is not read at all. */
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
