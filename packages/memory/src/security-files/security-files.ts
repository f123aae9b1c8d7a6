import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isFields, LIMITS, parseJson, StewardError } from '@steward/contract'
import { codeOf } from '../files/code-of.ts'
import { removeLeftDrafts } from '../files/drafts.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
import type { Home } from '../home/home.ts'
import { withLock } from '../locks/with-lock.ts'
import { storageFault } from '../logs/storage-fault.ts'

/** What a person says about security: the policy, and rules in natural language. */
export const SECURITY_FILES = { policy: 'PATTERNS.yaml', rules: 'SECURITY_RULES.md' } as const
export type SecurityFile = keyof typeof SECURITY_FILES

type UserHome = Pick<Home, 'user'>

export interface SecurityText {
  /** Nothing when there is no such file. */
  text: string | undefined
  /** Changes whenever the text does. */
  revision: string
}

export const securityFilePath = ({ user }: UserHome, file: SecurityFile): string =>
  join(user.security, SECURITY_FILES[file])

/** Reads a file whole. One that is longer than a person would write is not read at all. */
export const readSecurityText = async (
  home: UserHome,
  file: SecurityFile,
): Promise<SecurityText> => {
  const path = securityFilePath(home, file)
  try {
    const { size } = await stat(path)
    if (size > LIMITS.policyBytes) {
      const reason = `it is ${size} bytes; the limit is ${LIMITS.policyBytes}`
      throw new StewardError('invalid_definition', { file: SECURITY_FILES[file], reason })
    }
    return withRevision(await readFile(path, 'utf8'))
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return withRevision(undefined)
    throw storageFault(path, 'it cannot be read', thrown)
  }
}

const withRevision = (text: string | undefined): SecurityText => ({
  text,
  revision:
    text === undefined ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 16),
})

export interface SecurityChange {
  /** The revision that the change was made for; any, when it is left out. */
  expected?: string | undefined
  /** Gives back the new text; throws to refuse. */
  change: (text: string | undefined) => string
}

export interface SecurityChanged {
  file: SecurityFile
  revision: string
  /** The name of this change, for taking it back. */
  undo: string
}

/**
 * Changes a file under its lock and replaces it whole. What it held before is kept for an undo. Throws
 * `version_conflict` when someone else has changed it, and then nothing is written.
 */
export const changeSecurityText = (
  home: UserHome,
  file: SecurityFile,
  { expected, change }: SecurityChange,
): Promise<SecurityChanged> =>
  locked(home, async () => {
    const before = await readSecurityText(home, file)
    if (expected !== undefined && expected !== before.revision)
      throw conflict(file, before.revision)
    return replace(home, file, before, change(before.text))
  })

/** Takes a change back, unless the file was changed since. That can be taken back too. */
export const undoSecurityChange = (home: UserHome, id: string): Promise<SecurityChanged> =>
  locked(home, async () => {
    const kept = await readKept(home, id)
    const now = await readSecurityText(home, kept.file)
    if (now.revision !== kept.after) throw conflict(kept.file, now.revision)
    return replace(home, kept.file, now, kept.before ?? undefined)
  })

const WAIT_MS = 10_000

const locked = async <T>(home: UserHome, work: () => Promise<T>): Promise<T> => {
  await mkdir(undoFolder(home), { recursive: true, mode: 0o700 })
  return withLock(join(home.user.security, '.edit.lock'), work, { waitMs: WAIT_MS })
}

const replace = async (
  home: UserHome,
  file: SecurityFile,
  before: SecurityText,
  text: string | undefined,
): Promise<SecurityChanged> => {
  const path = await followLink(securityFilePath(home, file))
  const { revision } = withRevision(text)
  const undo = `${String(await nextNumber(home)).padStart(6, '0')}-${randomBytes(4).toString('hex')}`
  const kept: KeptChange = { file, before: before.text ?? null, after: revision }
  await writeFileAtomically(keptPath(home, undo), `${JSON.stringify(kept, null, 2)}\n`)
  await removeLeftDrafts(path)
  if (text === undefined) await rm(path, { force: true })
  else await writeFileAtomically(path, text)
  await forgetOld(home)
  return { file, revision, undo }
}

/** A link into someone's own repository stays one. */
const followLink = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return path
    throw storageFault(dirname(path), 'it cannot be read', thrown)
  }
}

const KEPT_CHANGES = 50
const KEPT_NAME = /^(?<number>\d{6,})-[0-9a-f]{8}$/

interface KeptChange {
  file: SecurityFile
  before: string | null
  after: string
}

/** Beside the files themselves, where no assistant may write. */
const undoFolder = ({ user }: UserHome): string => join(user.security, '.undo')
const keptPath = (home: UserHome, id: string): string => join(undoFolder(home), `${id}.json`)

const keptIds = async (home: UserHome): Promise<string[]> =>
  (await readdir(undoFolder(home)))
    .flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
    .filter((id) => KEPT_NAME.test(id))
    .toSorted((a, b) => numberOf(a) - numberOf(b))

const numberOf = (id: string): number => Number(KEPT_NAME.exec(id)?.groups?.number ?? 0)

const nextNumber = async (home: UserHome): Promise<number> =>
  numberOf((await keptIds(home)).at(-1) ?? '') + 1

const forgetOld = async (home: UserHome): Promise<void> => {
  for (const id of (await keptIds(home)).slice(0, -KEPT_CHANGES)) await rm(keptPath(home, id))
}

/** The last change that can be taken back. */
export const lastSecurityChange = async (home: UserHome): Promise<string | undefined> => {
  await mkdir(undoFolder(home), { recursive: true, mode: 0o700 })
  return (await keptIds(home)).at(-1)
}

const readKept = async (home: UserHome, id: string): Promise<KeptChange> => {
  const known = KEPT_NAME.test(id) && (await keptIds(home)).includes(id)
  if (!known) throw new StewardError('not_found', { what: 'change of the policy', name: id })
  const path = keptPath(home, id)
  const json = parseJson(await readFile(path, 'utf8'), path)
  if (json.ok && isFields(json.value)) {
    const { file, before, after } = json.value
    if (
      (file === 'policy' || file === 'rules') &&
      (typeof before === 'string' || before === null) &&
      typeof after === 'string'
    ) {
      return { file, before, after }
    }
  }
  throw new StewardError('storage_failed', { path, reason: 'it is no kept change' })
}

const conflict = (file: SecurityFile, current: string): StewardError =>
  new StewardError('version_conflict', { subject: SECURITY_FILES[file], current })
