import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, isStorageCode, ok, type Result, StewardError } from '@steward/contract'
import { codeOf, isMissing } from '../error-code.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
import { storageErrorOf } from '../storage-error.ts'
import type { Home } from './home.ts'

const PRIVATE_DIR = 0o700
const PRIVATE_FILE = 0o600

/**
 * Creates the home (0700), its folders, and the token (0600). Existing files are unchanged, except
 * for a token that others could read.
 */
export const ensureHome = async (home: Home): Promise<Result<Home>> => {
  for (const path of foldersOf(home)) {
    try {
      await mkdir(path, { recursive: true, mode: PRIVATE_DIR })
    } catch (thrown) {
      return unusable(path, await explainMkdir(path, thrown))
    }
  }
  try {
    await access(home.root, constants.R_OK | constants.W_OK | constants.X_OK)
    await ensureToken(home.token)
  } catch (thrown) {
    return unusable(home.root, thrown)
  }
  return ok(home)
}

const foldersOf = (home: Home): string[] => [
  home.root,
  home.stateDir,
  home.observability,
  home.databases,
  home.payloads,
  home.output,
  home.user.actions,
  home.user.pipelines,
  home.user.flows,
]

/** Spec 1, Authentication: 32 random bytes in hexadecimal. */
const ensureToken = async (path: string): Promise<void> => {
  if (!existsSync(path)) {
    try {
      await writeFile(path, newToken(), { mode: PRIVATE_FILE, flag: 'wx' })
      return
    } catch (thrown) {
      // Another process may have created it meanwhile.
      if (codeOf(thrown) !== 'EEXIST') throw thrown
    }
  }
  const { mode, size } = await stat(path)
  if ((mode & 0o077) !== 0) await chmod(path, PRIVATE_FILE)
  // A full disk or a kill leaves an empty file, which no request matches and which can be replaced.
  if (size === 0) await writeFileAtomically(path, newToken())
}

const newToken = (): string => `${randomBytes(32).toString('hex')}\n`

/** If a parent folder cannot be created, Node only reports that the child is missing. */
const explainMkdir = async (path: string, thrown: unknown): Promise<unknown> => {
  if (!isMissing(thrown)) return thrown
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!existsSync(folder)) continue
    return access(folder, constants.W_OK).then(
      () => thrown,
      (refused: unknown) => refused,
    )
  }
}

const unusable = (path: string, thrown: unknown): { ok: false; error: StewardError } => {
  const { code, details } = storageErrorOf(path, thrown)
  const reason = `${details.reason} (the data home is set by STEWARD_HOME)`
  const storage = isStorageCode(code) ? code : 'storage_failed'
  return fail(new StewardError(storage, { path, reason }, thrown))
}
