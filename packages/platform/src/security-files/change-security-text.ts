import { mkdir, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StewardError, toStewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { removeLeftDrafts } from '../files/drafts.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
import type { Home } from '../home/home.ts'
import { withLock } from '../locks/with-lock.ts'
import {
  appendSecurityEvent,
  type SecurityLogPorts,
} from '../security-log/append-security-event.ts'
import { storageErrorOf } from '../storage-error.ts'
import { keepChange, readChange } from './kept-changes.ts'
import {
  readSecurityText,
  SECURITY_FILES,
  type SecurityFile,
  type SecurityText,
  securityFilePath,
  withRevision,
} from './security-texts.ts'

type SecurityHome = Pick<Home, 'user' | 'security'>

export interface SecurityChange {
  file: SecurityFile
  /** The revision that the change is based on; any if omitted. */
  expected?: string | undefined
  /** For the security log: the action and its target. */
  action: string
  target: string | (() => string)
  /** Returns the new text; throws to refuse. */
  change: (text: string | undefined) => string
}

export interface SecurityChanged {
  file: SecurityFile
  revision: string
  /** The id of this change, for undo. */
  undo: string
  /** The change was made, but could not be written to the security log. */
  logFault?: StewardError
}

/**
 * Changes a file under its lock and replaces it atomically. The old text is kept for undo, and the
 * change is logged. Throws `version_conflict` without writing if someone else has changed the file.
 */
export const changeSecurityText = (
  home: SecurityHome,
  { file, expected, action, target, change }: SecurityChange,
  ports: SecurityLogPorts,
): Promise<SecurityChanged> =>
  locked(home, async () => {
    const before = await readSecurityText(home, file)
    if (expected !== undefined && expected !== before.revision) {
      throw conflict(file, before.revision)
    }
    const changed = await replace(home, file, before, change(before.text))
    return {
      ...changed,
      ...(await tell(home, file, action, typeof target === 'string' ? target : target(), ports)),
    }
  })

/** Reverts a change, unless the file has changed since. The revert can be reverted too. */
export const undoSecurityChange = (
  home: SecurityHome,
  id: string,
  ports: SecurityLogPorts,
): Promise<SecurityChanged> =>
  locked(home, async () => {
    const { file, before, after } = await readChange(home, id)
    const now = await readSecurityText(home, file)
    if (now.revision !== after) throw conflict(file, now.revision)
    const changed = await replace(home, file, now, before ?? undefined, { undoes: id })
    return { ...changed, ...(await tell(home, file, 'undo', id, ports)) }
  })

const WAIT_MS = 10_000

const locked = async <T>(home: SecurityHome, work: () => Promise<T>): Promise<T> => {
  await mkdir(home.user.security, { recursive: true, mode: 0o700 })
  return withLock(join(home.user.security, '.edit.lock'), work, { waitMs: WAIT_MS })
}

const replace = async (
  home: SecurityHome,
  file: SecurityFile,
  before: SecurityText,
  text: string | undefined,
  more: { undoes?: string } = {},
): Promise<SecurityChanged> => {
  const path = await followLink(securityFilePath(home, file))
  const { revision } = withRevision(text)
  const undo = await keepChange(home, {
    file,
    before: before.text ?? null,
    after: revision,
    ...more,
  })
  await removeLeftDrafts(path)
  if (text === undefined) await rm(path, { force: true })
  else await writeFileAtomically(path, text)
  return { file, revision, undo }
}

/** Write through a symbolic link, which may point into the person's repository. */
const followLink = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (thrown) {
    if (isMissing(thrown)) return path
    throw storageErrorOf(dirname(path), thrown, 'it cannot be read')
  }
}

const tell = async (
  home: SecurityHome,
  file: SecurityFile,
  action: string,
  target: string,
  ports: SecurityLogPorts,
): Promise<{ logFault?: StewardError }> => {
  const event = {
    session_id: '',
    host: '',
    tool: SECURITY_FILES[file],
    verdict: 'pass',
    rule: 'builtin:policy-change',
    reason: action,
    target,
  } as const
  try {
    await appendSecurityEvent(home, event, ports)
    return {}
  } catch (thrown) {
    return { logFault: toStewardError(thrown) }
  }
}

const conflict = (file: SecurityFile, current: string): StewardError =>
  new StewardError('version_conflict', { subject: SECURITY_FILES[file], current })
