import { reasonOf, StewardError } from '@steward/contract'
import { codeOf } from '../error-code.ts'

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'there is a folder where the log should be',
  ENOENT: 'the folder does not exist and cannot be created',
  EMFILE: 'too many files are open in this process',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the device reports an input or output error',
}

/**
 * A system error in words, as an error of the table. `doing` names the step: `it cannot be read`.
 */
export const storageFault = (path: string, doing: string, thrown: unknown): StewardError => {
  if (thrown instanceof StewardError) return thrown
  const known = REASONS[codeOf(thrown) ?? '']
  const cause = known === undefined ? reasonOf(thrown) : `${known} (${codeOf(thrown)})`
  return new StewardError('storage_failed', { path, reason: `${doing}: ${cause}` }, thrown)
}
