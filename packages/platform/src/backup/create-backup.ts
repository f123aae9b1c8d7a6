import { createHash } from 'node:crypto'
import { createReadStream, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, type open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import {
  BACKUP_FORMAT,
  BACKUP_MANIFEST,
  type BackedUpFile,
  type BackupManifest,
  PLATFORM_VERSION,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { checkDatabase } from '../database/check-database.ts'
import { isMissing } from '../error-code.ts'
import { syncFolder } from '../files/write-file-atomically.ts'
import type { Home } from '../home/home.ts'
import { holdLock } from '../locks/lock.ts'
import { type ArchiveWriter, writeArchive } from './archive.ts'
import { HOME_PARTS } from './backup-scope.ts'
import { listHomeFiles } from './list-home-files.ts'
import { type PinnedDatabase, pinDatabases } from './pin-databases.ts'
import { readBackup } from './read-backup.ts'
import { openHomeFile, openLogs, readStable, type StableContent } from './read-home-file.ts'

export interface BackupOptions {
  home: Home
  /** The file to write; it must not exist. */
  file: string
  /** Include keys and tokens. */
  secrets: boolean
  now: () => Date
}

export interface CreatedBackup {
  file: string
  bytes: number
  manifest: BackupManifest
  /** Damaged databases and unreadable files: the backup exists but is incomplete. */
  problems: string[]
}

/**
 * Copies a data home into one archive while daemon, runner and hooks keep working, and verifies the
 * archive before it gets its final name. Databases are copied as of one moment; files are copied
 * afterwards, so that everything a database refers to is included.
 */
export const createBackup = async (options: BackupOptions): Promise<CreatedBackup> => {
  const { home, file, secrets, now } = options
  const root = rootOf(home.root)
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  refuseTarget(root, join(realpathSync(folder), basename(file)))
  const lock = holdLock(join(home.databases, 'backup.lock'))
  if (lock === undefined) {
    const reason = 'one backup of a data home at a time'
    throw new StewardError('run_active', { subject: 'a backup', reason })
  }
  const stage = await mkdtemp(join(folder, '.steward-backup-'))
  try {
    const createdAt = now().toISOString()
    const draft = join(stage, 'archive')
    const archive = writeArchive(draft)
    const contents = await copyHome(root, secrets, archive, stage).catch(async (thrown) => {
      await archive.abort(thrown)
      throw thrown
    })
    const { problems, ...rest } = contents
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      steward: PLATFORM_VERSION,
      createdAt,
      home: root,
      secrets,
      ...rest,
    }
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    const about = { name: BACKUP_MANIFEST, size: text.length, mode: 0o600, mtime: now() }
    await archive.add(about, [text])
    await archive.finish()
    await readBackup(draft)
    await rename(draft, file)
    await syncFolder(folder)
    return { file, bytes: (await stat(file)).size, manifest, problems }
  } finally {
    await rm(stage, { recursive: true, force: true })
    lock.release()
  }
}

/** A backup inside the backed-up data would contain the earlier backups. */
const rootOf = (root: string): string => {
  try {
    return realpathSync(root)
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
    const reason = `there is no data home at ${root} yet, so there is nothing to back up`
    throw new StewardError('invalid_input', { subject: 'backup', reason })
  }
}

const refuseTarget = (root: string, file: string): void => {
  const [first = ''] = relative(root, file).split(sep)
  if (!HOME_PARTS.some((part) => part === first)) return
  const reason = `${file} is inside ${join(root, first)}, which is backed up; choose another folder`
  throw new StewardError('invalid_input', { subject: 'backup', reason })
}

type Contents = Pick<BackupManifest, 'files' | 'leftOut'> & { problems: string[] }

const copyHome = async (
  root: string,
  secrets: boolean,
  archive: ArchiveWriter,
  stage: string,
): Promise<Contents> => {
  const { databases } = listHomeFiles(root, { secrets })
  const pinned = await pinDatabases(root, databases)
  try {
    // Listed after the databases are pinned, so that all files they refer to exist already.
    const { logs, files, leftOut, problems } = listHomeFiles(root, { secrets })
    const copied: BackedUpFile[] = []
    for (const each of pinned) {
      const database = await addDatabase(each, archive, stage)
      each.close()
      copied.push(database)
      if (database.damaged !== undefined) {
        problems.push(`${each.path} is damaged: ${database.damaged}`)
      }
    }
    for (const folder of new Set(logs.map((path) => dirname(path)))) {
      for (const log of await openLogs(root, folder)) {
        copied.push(await addContent(log, 'log', archive, stage))
      }
    }
    for (const path of files) {
      try {
        const opened = await openHomeFile(root, path)
        copied.push(await addContent(opened, 'file', archive, stage))
      } catch (thrown) {
        if (thrown instanceof StewardError) throw thrown
        // A file that was removed after it was listed is not a problem.
        if (!isMissing(thrown)) problems.push(`${path}: ${reasonOf(thrown)}`)
      }
    }
    return { files: copied, leftOut, problems }
  } finally {
    for (const each of pinned) each.close()
  }
}

const addDatabase = async (
  database: PinnedDatabase,
  archive: ArchiveWriter,
  stage: string,
): Promise<BackedUpFile> => {
  const copy = join(stage, 'database.sqlite')
  try {
    await database.copyTo(copy)
    const { schema, damage } = checkDatabase(copy, { quick: true })
    const damaged = database.damaged ?? damage
    const { path } = database
    const { size, mtime } = await stat(copy)
    const sha256 = await addFile({ name: path, size, mode: 0o600, mtime }, copy, archive)
    return {
      path,
      kind: 'database',
      bytes: size,
      sha256,
      ...(schema === undefined ? {} : { schema }),
      ...(damaged === undefined ? {} : { damaged }),
    }
  } finally {
    for (const ending of ['', '-wal', '-shm']) await rm(`${copy}${ending}`, { force: true })
  }
}

const addContent = async (
  { path, handle }: { path: string; handle: Awaited<ReturnType<typeof open>> },
  kind: 'file' | 'log',
  archive: ArchiveWriter,
  stage: string,
): Promise<BackedUpFile> => {
  const copy = join(stage, 'file')
  try {
    const content: StableContent = await readStable(handle, { lines: kind === 'log', copy })
    const { mode, mtime } = await handle.stat()
    const entry = { name: path, mode: mode & 0o777, mtime, size: content.bytes }
    if ('copy' in content) {
      const sha256 = await addFile(entry, copy, archive)
      return { path, kind, bytes: content.bytes, sha256 }
    }
    await archive.add(entry, [content.whole])
    const sha256 = createHash('sha256').update(content.whole).digest('hex')
    return { path, kind, bytes: content.bytes, sha256 }
  } finally {
    await handle.close()
    await rm(copy, { force: true })
  }
}

const addFile = async (
  entry: Parameters<ArchiveWriter['add']>[0],
  file: string,
  archive: ArchiveWriter,
): Promise<string> => {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk)
      yield chunk
    }
  }
  await archive.add(entry, hashed())
  return hash.digest('hex')
}
