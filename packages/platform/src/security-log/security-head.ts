import { isJsonObject, parseJson, StewardError } from '@steward/contract'
import { takeVersionOf, withVersion } from '../files/file-version.ts'
import { readIfPresentSync } from '../files/read-if-present.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
import { type SecurityHome, securityHeadPath } from './security-log-files.ts'
import type { ChainEnd } from './security-row.ts'

/** The end of the log, stored outside it. */
export interface SecurityHead extends ChainEnd {
  /** The file of the last row, relative to `MEMORY/SECURITY`, and its size with that row. */
  file: string
  bytes: number
}

/** Parsed by hand, because the hook must not load a schema library. Undefined if missing. */
export const readSecurityHead = (home: SecurityHome): SecurityHead | undefined => {
  const path = securityHeadPath(home)
  const text = readIfPresentSync(path)
  if (text === undefined) return undefined
  const json = parseJson(text, path)
  if (json.ok && isJsonObject(json.value)) {
    const { seq, hash, file, bytes } = takeVersionOf(json.value, path)
    if (
      typeof seq === 'number' &&
      typeof hash === 'string' &&
      typeof file === 'string' &&
      typeof bytes === 'number'
    ) {
      return { seq, hash, file, bytes }
    }
  }
  throw new StewardError('invalid_definition', { file: path, reason: 'it is not a log head' })
}

export const writeSecurityHead = (home: SecurityHome, head: SecurityHead): Promise<void> =>
  writeFileAtomically(securityHeadPath(home), `${JSON.stringify(withVersion(head))}\n`)
