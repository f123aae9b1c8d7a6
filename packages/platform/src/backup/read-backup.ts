import { createHash } from 'node:crypto'
import { mkdir, open, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  BACKUP_FORMAT,
  BACKUP_MANIFEST,
  type BackupManifest,
  backupManifest,
  describeIssues,
  issuesOf,
  parseJson,
  StewardError,
} from '@steward/contract'
import { type ReadEntry, readArchive } from './archive.ts'
import { isSecret, refuseEntryName } from './backup-scope.ts'

const MAX_MANIFEST_BYTES = 256 * 1024 ** 2

/**
 * Reads a backup to its end and compares every file with the manifest. With `into`, an empty folder,
 * writes the files there. Throws `backup_unusable` for anything that a backup of ours cannot contain:
 * a missing, changed or additional file, a link, a name that leads out of the folder.
 */
export const readBackup = async (file: string, into?: string): Promise<BackupManifest> => {
  const unusable = (reason: string) => new StewardError('backup_unusable', { file, reason })
  const found = new Map<string, { bytes: number; sha256: string }>()
  let manifest: BackupManifest | undefined
  await readArchive(file, async (entry) => {
    if (manifest !== undefined) throw unusable(`${entry.name} stands after the manifest`)
    if (entry.type !== 'file') throw unusable(`${entry.name} is a ${entry.type}, not a file`)
    if (entry.name === BACKUP_MANIFEST) {
      manifest = parseManifest(await readText(entry, unusable), unusable)
      return
    }
    const refusal = refuseEntryName(entry.name)
    if (refusal !== undefined) throw unusable(`${JSON.stringify(entry.name)}: ${refusal}`)
    if (found.has(entry.name)) throw unusable(`${entry.name} is there twice`)
    found.set(entry.name, await readContent(entry, into))
  })
  if (manifest === undefined) throw unusable('it has no manifest; it may have been cut short')
  for (const { path, bytes, sha256 } of manifest.files) {
    const entry = found.get(path)
    if (entry === undefined) throw unusable(`${path} is missing`)
    if (entry.sha256 !== sha256 || entry.bytes !== bytes) throw unusable(`${path} was changed`)
    found.delete(path)
  }
  for (const path of found.keys()) throw unusable(`${path} is not in the manifest`)
  return manifest
}

const readText = async (
  { size, content }: ReadEntry,
  unusable: (reason: string) => StewardError,
): Promise<string> => {
  if (size > MAX_MANIFEST_BYTES) throw unusable('the manifest is too large')
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const parseManifest = (
  text: string,
  unusable: (reason: string) => StewardError,
): BackupManifest => {
  const json = parseJson(text, BACKUP_MANIFEST)
  if (!json.ok) throw unusable(json.error.message)
  const parsed = backupManifest.safeParse(json.value)
  if (!parsed.success) throw unusable(describeIssues(issuesOf(parsed.error)))
  if (parsed.data.format <= BACKUP_FORMAT) return parsed.data
  throw unusable(`Steward ${parsed.data.steward} made it in a newer format; update Steward first`)
}

const readContent = async (
  { name, mode, mtime, content }: ReadEntry,
  into: string | undefined,
): Promise<{ bytes: number; sha256: string }> => {
  const hash = createHash('sha256')
  let bytes = 0
  const count = (chunk: Uint8Array): void => {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (into === undefined) {
    for await (const chunk of content) count(chunk)
  } else {
    const path = join(into, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    // `wx` also refuses a name that only differs in case on file systems where that is the same file.
    const handle = await open(path, 'wx', isSecret(name) ? 0o600 : (mode & 0o777) | 0o600)
    try {
      for await (const chunk of content) {
        count(chunk)
        await handle.writeFile(chunk)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await utimes(path, mtime, mtime)
  }
  return { bytes, sha256: hash.digest('hex') }
}
