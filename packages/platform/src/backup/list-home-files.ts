import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { HOME_PARTS, isDatabase, isLog, isRuntime, isSecret } from './backup-scope.ts'

export interface HomeListing {
  databases: string[]
  logs: string[]
  files: string[]
  /** Deliberately not backed up, with the reason. */
  leftOut: { path: string; reason: string }[]
  /** What cannot be read and so is missing from the backup. */
  problems: string[]
}

/** Every file of a data home that a backup covers, relative to `root`. Symbolic links are not followed. */
export const listHomeFiles = (root: string, { secrets }: { secrets: boolean }): HomeListing => {
  const listing: HomeListing = { databases: [], logs: [], files: [], leftOut: [], problems: [] }
  const leaveOut = (path: string, reason: string): void => {
    listing.leftOut.push({ path, reason })
  }

  const visit = (path: string, kind: Kind): void => {
    if (isRuntime(path)) return
    if (kind === 'folder') visitFolder(path)
    else if (kind === 'link') leaveOut(path, describeLink(join(root, path)))
    else if (kind === 'other') leaveOut(path, 'neither a file nor a folder')
    else if (isSecret(path) && !secrets) leaveOut(path, 'a secret')
    else if (isDatabase(path)) listing.databases.push(path)
    else if (isLog(path)) listing.logs.push(path)
    else listing.files.push(path)
  }

  const visitFolder = (path: string): void => {
    if (path.endsWith('/node_modules')) {
      leaveOut(path, 'dependencies; install them again')
      return
    }
    let entries: Dirent[]
    try {
      entries = readdirSync(join(root, path), { withFileTypes: true })
    } catch (thrown) {
      if (!isMissing(thrown)) listing.problems.push(`${path}: ${reasonOf(thrown)}`)
      return
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      visit(`${path}/${entry.name}`, kindOf(entry))
    }
  }

  for (const part of HOME_PARTS) {
    const found = lstatSync(join(root, part), { throwIfNoEntry: false })
    if (found !== undefined) visit(part, kindOf(found))
  }
  return listing
}

type Kind = 'file' | 'folder' | 'link' | 'other'

const kindOf = (entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): Kind => {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}

const describeLink = (path: string): string => {
  try {
    return `a symbolic link to ${readlinkSync(path)}; back its target up by other means`
  } catch {
    return 'a symbolic link'
  }
}
